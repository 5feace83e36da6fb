/** `receipt`: fiscal receipts that need a decision. `payment show` shows every receipt of a payment. */
import { AppError } from '../../errors.ts'
import { retryReceiptFor } from '../../operator/acts/agreements.ts'
import { doOrRehearse } from '../../operator/acts/rehearse.ts'
import { presentReceipt } from '../../operator/receipt-view.ts'
import { listReceiptsToResolve, RECEIPT_STATUSES, resolveReceipt } from '../../payments/decisions/receipt.ts'
import { isStuck } from '../../payments/receipt.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { DRY_RUN, rehearsedOutcome } from '../dry-run.ts'
import { optional, optionalChoice, pageSize, required, requiredChoice, WHY } from '../flag.ts'
import { amount, listText, moment, pairs, paragraphs } from '../layout.ts'

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List receipts: failed and unclear ones first, then the newest',
  flags: {
    merchant: optional('ID', 'only receipts of this merchant'),
    status: optionalChoice('STATUS', 'only receipts with this status', RECEIPT_STATUSES),
    limit: pageSize('receipt'),
  },
  examples: ['', '--status unclear', '--merchant mer_01... --limit 50'],
  async run(ctx, { merchant: merchantId, ...filter }) {
    const receipts = await listReceiptsToResolve(ctx, { merchantId, ...filter })
    const rows = receipts.map((each) => [
      each.id,
      moment(each.createdAt),
      `${each.kind} ${amount(each.amountMinor, each.currency)}`,
      each.status,
      each.paymentId,
      each.statusReason ?? '',
    ])
    const text = listText(
      ['Receipt', 'Created', 'Of', 'Status', 'Payment', 'Reason'],
      rows,
      'No receipts found.',
      receipts.some(isStuck) &&
        `A person must resolve failed and unclear receipts: ${ADMIN} receipt resolve --help`,
    )
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
  needs: 'operator',
  summary: 'Store the outcome of a receipt that needs a decision',
  flags: {
    receipt: required('ID', "the receipt's id (rcp_...)"),
    as: requiredChoice('OUTCOME', "the outcome, as the cash register's own records show it", [
      'issued',
      'failed',
      'cancelled',
    ] as const),
    number: optional('N', "the register's number of the receipt; needed with --as issued"),
    why: WHY,
  },
  examples: [
    '--receipt rcp_01... --as issued --number 1042 --why "found on the roll"',
    '--receipt rcp_01... --as failed --why "not on the roll of 2 August"',
    '--receipt rcp_01... --as cancelled --why "the refund failed; corrected by receipt 1043"',
  ],
  async run(ctx, { receipt: id, as, number, why }, { operator }) {
    if ((as === 'issued') !== (number !== undefined))
      throw new AppError('validation_failed', {
        message: `--as issued needs --number, and --as ${as} does not allow it.`,
      })
    const outcome = as === 'issued' ? { as, number: number ?? '' } : { as }
    const receipt = await resolveReceipt(ctx, id, outcome, { actor: operator, why })
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

const retry = verb({
  name: 'retry',
  needs: 'operator',
  summary: "Print a payment's first failed or unclear receipt again",
  flags: { payment: required('ID', "the payment's id (pay_...)"), dryRun: DRY_RUN },
  examples: ['--payment pay_01...'],
  async run(ctx, values, { operator: by }) {
    const { operation, created, ...rest } = await doOrRehearse(ctx, values, (own) =>
      retryReceiptFor(own, values.payment, by),
    )
    const text = paragraphs(
      created
        ? 'The running service prints the receipt again.'
        : 'It is being printed again already, so nothing was done.',
      pairs([['Operation', `${operation.id}  ${operation.status}`]]),
    )
    return rehearsedOutcome(values.dryRun, { json: { ...rest, created, operation }, text })
  },
})

export const receipt: Noun = {
  name: 'receipt',
  summary: 'List, retry and resolve fiscal receipts',
  verbs: [list, retry, resolve],
}
