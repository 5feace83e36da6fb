/** `receipt`: the operator's word on a fiscal receipt that nobody else can clear. `payment show` shows them all. */
import { AppError } from '../../errors.ts'
import { listReceiptsToResolve, RECEIPT_STATUSES, resolveReceipt } from '../../payments/decisions/receipt.ts'
import { isStuck } from '../../payments/receipt.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { BY, count, optional, optionalChoice, required, requiredChoice, WHY } from '../flag.ts'
import { amount, moment, pairs, paragraphs, table } from '../layout.ts'
import { presentReceipt } from '../receipt-text.ts'

const list = verb({
  name: 'list',
  summary: 'Receipts: those that failed or are unclear first, then the newest',
  flags: {
    merchant: optional('ID', "only this merchant's"),
    status: optionalChoice('STATUS', 'only those', RECEIPT_STATUSES),
    limit: count('N', 'how many', { max: 500, fallback: 20 }),
  },
  examples: ['', '--status unclear', '--merchant mer_01... --limit 50'],
  async run(ctx, { merchant: merchantId, ...asked }) {
    const receipts = await listReceiptsToResolve(ctx, { merchantId, ...asked })
    const rows = receipts.map((each) => [
      each.id,
      moment(each.createdAt),
      `${each.kind} ${amount(each.amountMinor, each.currency)}`,
      each.status,
      each.paymentId,
      each.statusReason ?? '',
    ])
    const text =
      rows.length > 0
        ? paragraphs(
            table(['Receipt', 'Created', 'Of', 'Status', 'Payment', 'Because'], rows),
            receipts.some(isStuck) &&
              `What failed or is unclear needs a person: ${ADMIN} receipt resolve --help`,
          )
        : 'There is no receipt here.'
    return {
      json: {
        receipts: receipts.map((each) => {
          const { merchantId, paymentId } = each
          const { changes: _, ...receipt } = presentReceipt(each, [])
          return { ...receipt, merchantId, paymentId }
        }),
      },
      text,
    }
  },
})

const resolve = verb({
  name: 'resolve',
  summary: "Say what became of a receipt that failed or is unclear, as the cash register's own roll shows it",
  flags: {
    receipt: required('ID', "the receipt's id (rcp_...)"),
    as: requiredChoice('OUTCOME', 'what became of it', ['issued', 'failed'] as const),
    number: optional('N', "the number it was printed under, where it was: the register's own"),
    why: WHY,
    by: BY,
  },
  examples: [
    '--receipt rcp_01... --as issued --number 1042 --why "found on the roll"',
    '--receipt rcp_01... --as failed --why "not on the roll of 2 August"',
  ],
  async run(ctx, { receipt: id, as, number, why, by }, { operator }) {
    if ((as === 'issued') !== (number !== undefined))
      throw new AppError('validation_failed', {
        message: '--number belongs to --as issued, and is needed there.',
      })
    const outcome = number === undefined ? ({ as: 'failed' } as const) : ({ as: 'issued', number } as const)
    const receipt = await resolveReceipt(ctx, id, outcome, { actor: by ?? operator, why })
    const text = pairs([
      ['Receipt', receipt.id],
      ['Of', `${receipt.kind} ${amount(receipt.amountMinor, receipt.currency)}`],
      ['Status', receipt.status],
      ['Number', receipt.number],
      ['Payment', receipt.paymentId],
    ])
    return { json: { receipt: presentReceipt(receipt, []) }, text }
  },
})

export const receipt: Noun = {
  name: 'receipt',
  summary: 'Fiscal receipts that need a person',
  verbs: [list, resolve],
}
