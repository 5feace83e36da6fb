/** `payment refund`, `payment capture`, `payment void` and `payment cancel`. */
import type { Person } from '../../../audit/people.ts'
import type { Context } from '../../../context.ts'
import { cancelFor } from '../../../operator/acts/cancel.ts'
import type { MoneyAct, MoneyActed } from '../../../operator/acts/money.ts'
import { doOrRehearse } from '../../../operator/acts/rehearse.ts'
import { doOrPropose } from '../../../operator/approvals/approvals.ts'
import { getPayment } from '../../../operator/payment-timeline.ts'
import { parseTypedAmount } from '../../../payments/money.ts'
import type { MoneyOperation } from '../../../payments/operation.ts'
import { ADMIN, type Outcome, shellWord, verb } from '../../command.ts'
import { DRY_RUN, rehearsedOutcome } from '../../dry-run.ts'
import { optional, required, VERSION, WHY } from '../../flag.ts'
import { amount, pairs, paragraphs } from '../../layout.ts'
import { proposedOutcome } from '../../proposal-text.ts'

const PAYMENT = required('ID', "the payment's id (pay_...)")
const KEY = optional(
  'KEY',
  'a name for this act; the same name never does it twice (derived if it is left out)',
)
const REASON = {
  ...WHY,
  need: 'required' as const,
  help: 'the reason, which the merchant and the provider see',
}

type Values = {
  payment: string
  amount?: string | undefined
  key?: string | undefined
  version?: number | undefined
  why?: string | null
  dryRun: boolean
}

async function run(ctx: Context, type: MoneyOperation, values: Values, person: Person): Promise<Outcome> {
  const { payment: paymentId, key, version, why, dryRun } = values
  const { currency } = await getPayment(ctx, paymentId)
  const amountMinor = values.amount === undefined ? undefined : parseTypedAmount(values.amount, currency)
  const act: MoneyAct = { paymentId, amountMinor, key, version, ...(why !== undefined && { why }) }
  const decided = await doOrRehearse(ctx, values, (own) => doOrPropose(own, person, `payment ${type}`, act))
  if ('done' in decided) return rehearsedOutcome(dryRun, actedOutcome(type, decided.done))
  if (!dryRun) return proposedOutcome(decided.proposed)
  const { about } = decided.proposed
  return rehearsedOutcome(true, {
    json: { proposed: true, about },
    text: `A second person would have to approve it: ${about}.`,
  })
}

function actedOutcome(type: MoneyOperation, acted: MoneyActed): Outcome {
  const { operation, payment, created, key } = acted
  if (!payment) throw new Error(`Bug! The operation ${operation.id} has no payment.`)
  const { id, currency } = payment
  const another = `For another ${type} of the same amount give it a name of its own: --key second`
  return {
    json: { ...acted },
    text: paragraphs(
      created
        ? `The ${type} is queued. The running service carries it out.`
        : `This ${type} was asked for before, so nothing was done. ${another}`,
      pairs([
        ['Operation', operation.id],
        ['Status', operation.status],
        ['Why', operation.statusReason ?? null],
        ['Amount', operation.amountMinor ? amount(operation.amountMinor, currency) : null],
        ['Payment', `${id}  ${payment.status}`],
        ['Key', key],
      ]),
      `Its outcome: ${ADMIN} operation show --operation ${shellWord(operation.id)}`,
    ),
  }
}

const AMOUNT = (all: string) => optional('15.00', `the amount in the payment's currency (default: ${all})`)
const COMMON = { payment: PAYMENT, key: KEY, version: VERSION, dryRun: DRY_RUN }

const refund = verb({
  name: 'refund',
  needs: 'operator',
  summary: 'Give money of a payment back',
  flags: { ...COMMON, amount: AMOUNT('all that is left'), why: REASON },
  examples: [
    '--payment pay_01... --amount 5.00 --why "the cup was broken"',
    '--payment pay_01... --why "sent back" --dry-run',
  ],
  run: (ctx, values, { person }) => run(ctx, 'refund', values, person),
})

const capture = verb({
  name: 'capture',
  needs: 'operator',
  summary: 'Take the money that a payment holds, or a part of it',
  flags: { ...COMMON, amount: AMOUNT('all that is held'), why: WHY },
  examples: ['--payment pay_01...', '--payment pay_01... --amount 12.00 --dry-run'],
  run: (ctx, values, { person }) => run(ctx, 'capture', values, person),
})

const voidPayment = verb({
  name: 'void',
  needs: 'operator',
  summary: 'Release the money that a payment holds',
  flags: { ...COMMON, why: REASON },
  examples: ['--payment pay_01... --why "out of stock"'],
  run: (ctx, values, { person }) => run(ctx, 'void', values, person),
})

const cancel = verb({
  name: 'cancel',
  needs: 'operator',
  summary: 'Cancel a payment that nobody has paid',
  flags: { payment: PAYMENT, why: REASON },
  examples: ['--payment pay_01... --why "the order has changed"'],
  async run(ctx, { payment: paymentId, why }, { person }) {
    const { created, payment } = await cancelFor(ctx, { paymentId, why: why ?? '' }, person.name)
    const said = created
      ? 'The payment is cancelled. Money that arrives all the same is not the payment’s, and goes back.'
      : 'The payment was cancelled before, so nothing has changed.'
    return {
      json: { ok: true, created, payment },
      text: paragraphs(said, pairs([['Payment', `${payment.id}  ${payment.status}`]])),
    }
  },
})

export const MONEY_VERBS = [refund, capture, voidPayment, cancel]
