/** `customer`: forgetting a buyer. */
import { forgetCustomer } from '../../../operator/forgetting/forget.ts'
import { listWorlds } from '../../../worlds.ts'
import { type Noun, verb } from '../../command.ts'
import { DRY_RUN, rehearsedOutcome } from '../../dry-run.ts'
import { optional } from '../../flag.ts'
import { pairs, paragraphs } from '../../layout.ts'

/** What is counted, in words. */
const WORDS: Record<string, string> = {
  payments: 'Payments',
  events: 'Events',
  undelivered: 'Of these not delivered yet',
  deliveries: 'Answers of shops to events',
  exchanges: 'Requests to providers',
  attempts: 'Orders at providers',
  mails: 'Mails',
  orders: 'Orders of the order book',
  changes: 'Lines of histories',
  warnings: 'Warnings',
  receipts: 'Receipts',
  savedMethods: 'Saved methods',
  subscriptions: 'Subscriptions',
  operations: 'Operations',
  search: 'Rows by which payments are found',
  statementLines: 'Lines of statements',
  bankReferences: 'Bank references',
  entries: 'Bank references in the books',
  proposals: 'Proposals that waited for a second person',
  differences: 'Differences',
  unknownOrders: 'Unknown orders',
  sandbox: 'Rows of the simulated bank and register',
}

const forget = verb({
  name: 'forget',
  needs: 'administrator',
  summary: "Blank a buyer's data everywhere, and keep the trail of the money",
  flags: {
    email: optional('E', "the buyer's e-mail address"),
    phone: optional(
      'P',
      "the buyer's telephone number with its country, such as +374: it is then found without it too",
    ),
    dryRun: DRY_RUN,
  },
  examples: ['--email ani@shop.example --dry-run', '--email ani@shop.example --phone "+374 99 123456"'],
  async run(ctx, given, { worlds }) {
    const others = listWorlds(worlds).filter(({ world }) => world !== ctx.world)
    const blanked = await forgetCustomer(ctx, given)
    const rows = Object.entries(blanked).filter(([, count]) => count > 0)
    const found = rows.length > 0
    const text = paragraphs(
      found ? 'Blanked:' : 'Nothing was found.',
      found && pairs(rows.map(([name, count]) => [WORDS[name] ?? name, String(count)])),
      found &&
        'Amounts, statuses, times, ids and order references stay. Backups that were made before still have the data.',
      (blanked.undelivered ?? 0) > 0 &&
        'The shop does not get the events that were not delivered yet. Tell it of these payments, or let it look them up.',
      ...others.map(
        ({ world }) =>
          `Only the ${ctx.world} world was looked at. For the other one, do the same with --${world}.`,
      ),
    )
    return rehearsedOutcome(given.dryRun, { json: { blanked }, text })
  },
})

export const customer: Noun = { name: 'customer', summary: 'Forget a buyer', verbs: [forget] }
