/** `route`: the provider routes. */
import type { AccountFacts } from '../../accounts/account-facts.ts'
import { type Destination, listDestinations, listRoutes } from '../../operator/routes.ts'
import { type Noun, verb } from '../command.ts'
import { paragraphs, table } from '../layout.ts'
import { amountTexts, callsBackText } from './accounts/account-text.ts'

/** With more merchants than these only the newest are shown. */
const MERCHANTS_MAX = 20

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List the routes: readiness, what is missing, who is paid where',
  flags: {},
  examples: [''],
  async run(ctx) {
    const { mode } = ctx.config
    const destinations = await listDestinations(ctx, { limit: MERCHANTS_MAX })
    const routes = listRoutes(ctx)
    const rows = routes.map(({ route, driver, label, ready, currencies, reason, ...each }) => [
      each.default ? `${route} (default)` : route,
      driver ?? '-',
      ready ? 'ready' : 'not ready',
      ready ? `${label}: ${currencies.join(', ')}` : reason,
    ])
    const facts = routes.flatMap((each) => (each.facts ? [factsRow(each.route, each.facts)] : []))
    const addresses = routes.flatMap((each) => (each.callbackUrl ? [[each.route, each.callbackUrl]] : []))
    const text = paragraphs(
      table(['Route', 'Driver', 'State', ''], rows),
      facts.length > 0 &&
        `What is known of the deployment's own accounts:\n${table(['Route', 'Amounts', 'Operations', 'Calls back'], facts)}`,
      addresses.length > 0 &&
        `Where the providers of the deployment's own accounts call back:\n${table(['Route', 'Address'], addresses)}`,
      `The service runs in ${mode} mode. The deployment's own accounts are set in its environment, so a change needs a restart.`,
      destinationText(destinations),
    )
    return { json: { mode, routes, destinations }, text }
  },
})

/** `account show` has the whole of it. */
function factsRow(route: string, facts: AccountFacts): string[] {
  const amounts = amountTexts({ amounts: facts.amounts.filter(({ source }) => source !== 'none') })
  const refused = facts.rights.filter(({ state }) => state === 'denied').map(({ right }) => right)
  return [
    route,
    amounts.join(', ') || 'any',
    refused.length > 0 ? `the provider refuses ${refused.join(', ')}` : 'none refused',
    callsBackText(facts.callbacks),
  ]
}

/** One line for each merchant and account: the routes and currencies that lead there. */
function destinationText(destinations: Destination[]): string | null {
  if (destinations.length === 0) return null
  const groups = Map.groupBy(destinations, ({ merchantId, accountId }) => `${merchantId} ${accountId}`)
  const rows = [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { merchant, merchantId, accountId, owner, route: name } = first
    const currencies = group.map(({ currency }) => currency).join(', ')
    return [
      [`${merchant} (${merchantId})`, name, currencies, accountId, owner ? 'the merchant' : 'the deployment'],
    ]
  })
  return `Who is paid where:\n${table(['Merchant', 'Route', 'Currencies', 'Account', 'Whose account'], rows)}`
}

export const route: Noun = {
  name: 'route',
  summary: 'Show provider routes and what each one is missing',
  verbs: [list],
}
