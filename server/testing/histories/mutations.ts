/**
 * Deliberate faults of the money code. `mutate.ts` puts each into a copy of the service and lets random histories look for it. The
 * first five were chosen before the model of these histories ran for the first time.
 */

/** `from` stands once in `file`, which is below `server/`. */
export type Edit = { file: string; from: string; to: string }
export type Mutation = { name: string; what: string; edits: Edit[] }

const edit = (file: string, from: string, to: string): Edit => ({ file, from, to })

/** Chosen before the model ran. */
const CHOSEN_FIRST: Mutation[] = [
  {
    name: 'own-1',
    what: 'what is disputed counts as left to refund',
    edits: [
      edit('payments/status.ts', "if (status !== 'disputed') return 0", 'if (status.length > 0) return 0'),
    ],
  },
  {
    name: 'own-2',
    what: 'a void prints no receipt',
    edits: [
      edit(
        'payments/receipt.ts',
        "return status === 'reversed' ? sale.amountMinor : Math.min(refundedMinor, sale.amountMinor)",
        "return status === 'reversed' ? refundedMinor : Math.min(refundedMinor, sale.amountMinor)",
      ),
    ],
  },
  {
    name: 'own-3',
    what: 'nobody asks about a hold, so nobody notices that it lapsed',
    edits: [edit('payments/question-schedule.ts', '  authorized: { days: always(daily(35)) },\n', '')],
  },
  {
    name: 'own-4',
    what: "a charge of a saved method is sent again after its provider has forgotten the request's key",
    edits: [
      edit(
        'payments/subscriptions/sending.ts',
        'return ctx.clock.now().getTime() - toldAt.getTime() < keyLifetimeMs - 2 * CHARGE_TIMEOUT_MS',
        'return ctx.clock.now().getTime() >= toldAt.getTime() && keyLifetimeMs > 2 * CHARGE_TIMEOUT_MS',
      ),
    ],
  },
  {
    name: 'own-5',
    what: 'held second money is refunded instead of released',
    edits: [
      edit(
        'payments/second-money.ts',
        "const name = capturedMinor > 0 ? 'refund' : 'void'",
        "const name = capturedMinor >= 0 ? 'refund' : 'void'",
      ),
    ],
  },
]

export const MUTATIONS: Mutation[] = [...CHOSEN_FIRST]
