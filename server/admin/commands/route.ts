/** `route`: which driver sits in which of the contract's slots. */
import type { Context } from '../../context.ts'
import type { ProviderRoute } from '../../contract/fields.ts'
import { type Noun, verb } from '../command.ts'
import { paragraphs, table } from '../layout.ts'

type Route = Context['routes'][keyof Context['routes']]

/** Settings are left out: they hold credentials. */
function presentRoute({ route, driverName, driver, missing, reason }: Route, isDefault: boolean) {
  return {
    route,
    driver: driverName,
    label: driver?.label ?? null,
    ready: driver !== null,
    default: isDefault,
    currencies: driver?.currencies ?? [],
    missingEnv: missing,
    reason,
  }
}

/** What an operator is told who names a route that takes no payments yet; null where there is nothing to say. */
export function routeWarning({ routes }: Context, named: ProviderRoute | undefined): string | null {
  const route = named && routes[named]
  if (!route || route.driver) return null
  return `Warning: ${named} is not ready, and payments on it are refused until it is. ${route.reason} Then restart the service.`
}

const list = verb({
  name: 'list',
  summary: 'Each route: its driver, whether it is ready, and which settings are missing',
  flags: {},
  examples: [''],
  async run(ctx) {
    const { defaultProvider, mode } = ctx.config
    const routes = Object.values(ctx.routes).map((route) =>
      presentRoute(route, route.route === defaultProvider),
    )
    const rows = routes.map(({ route, driver, label, ready, currencies, reason }) => [
      route === defaultProvider ? `${route} (default)` : route,
      driver ?? '-',
      ready ? 'ready' : 'not ready',
      ready ? `${label}: ${currencies.join(', ')}` : reason,
    ])
    const text = paragraphs(
      table(['Route', 'Driver', 'State', ''], rows),
      `The service runs in ${mode} mode. Routes are settings of its environment; a change needs a restart.`,
    )
    return { json: { mode, routes }, text }
  },
})

export const route: Noun = { name: 'route', summary: 'The ways to a payment provider', verbs: [list] }
