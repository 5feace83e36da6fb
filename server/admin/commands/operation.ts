/** `operation`: what was asked to be done with money, what came of it, and the operator's word where nobody else can tell. */
import type { Context } from '../../context.ts'
import { OPERATION_STATUSES } from '../../contract/operation.ts'
import {
  getOperationHistory,
  listOperationPage,
  type OperationChangeRecord,
  type OperationRecord,
} from '../../operator/operation-history.ts'
import { resolveOperation } from '../../payments/decisions/operation.ts'
import { presentOperation } from '../../payments/operation.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { BY, count, optional, optionalChoice, required, requiredChoice, WHY } from '../flag.ts'
import { amount, counted, moment, momentFrom, pairs, paragraphs, table } from '../layout.ts'

const PAGE_MAX = 500
const PAGE_DEFAULT = 20

const OPERATION = required('ID', "the operation's id (opr_...)")

/** The contract's picture and what only an operator sees. `before`: what the provider said before it was told. */
export function presentOperationRecord(record: OperationRecord) {
  const {
    merchantId,
    paymentId,
    tokenId,
    subscriptionId,
    reason,
    metadata,
    before,
    toldAt,
    dueAt,
    attempts,
  } = record
  return {
    ...presentOperation(record),
    merchantId,
    paymentId,
    tokenId,
    subscriptionId,
    reason,
    metadata,
    before,
    toldAt,
    dueAt,
    attempts,
  }
}

function presentChange({ fromStatus, toStatus, cause, actor, detail, createdAt }: OperationChangeRecord) {
  return { from: fromStatus, to: toStatus, cause, actor, detail, createdAt }
}

export function money({ amountMinor, currency }: OperationRecord): string {
  return amountMinor !== null && currency ? amount(amountMinor, currency) : ''
}

const show = verb({
  name: 'show',
  summary: 'One operation with its history, and what the provider said before',
  flags: { operation: OPERATION },
  examples: ['--operation opr_01...'],
  run: (ctx, { operation }) => describe(ctx, operation),
})

async function describe(ctx: Context, id: string) {
  const { operation, changes } = await getOperationHistory(ctx, id)
  const now = ctx.clock.now()
  const waits = operation.status === 'requires_operator_review'
  const rows = changes.map(({ createdAt, toStatus, cause, actor, detail }) => [
    moment(createdAt),
    toStatus,
    actor ? `${cause} (${actor})` : cause,
    detail ?? '',
  ])
  const text = paragraphs(
    pairs([
      ['Operation', `${operation.id}  ${operation.type}`],
      ['Status', operation.status],
      ['Because', operation.statusReason],
      ['Amount', money(operation)],
      ['Payment', operation.paymentId],
      ['Saved method', operation.tokenId],
      ['Subscription', operation.subscriptionId],
      ['Merchant', operation.merchantId],
      ['Route', operation.provider],
      ['At the provider', operation.providerOperationId],
      ['Reason given', operation.reason],
      ['Provider told', operation.toldAt && momentFrom(operation.toldAt, now)],
      ['It said before', operation.before ? JSON.stringify(operation.before) : null],
      ['Next turn', operation.dueAt && momentFrom(operation.dueAt, now)],
    ]),
    `History\n${table(['When', 'Status', 'Cause', 'Detail'], rows)}`,
    waits &&
      `Look at the provider's own books, and say what they show:\n  ${ADMIN} operation resolve --operation ${id} --as succeeded --why "..."`,
  )
  return { json: { operation: presentOperationRecord(operation), history: changes.map(presentChange) }, text }
}

const list = verb({
  name: 'list',
  summary: 'Operations, the newest first, a page at a time',
  flags: {
    merchant: optional('ID', "only this merchant's"),
    payment: optional('ID', "only this payment's"),
    status: optionalChoice('STATUS', 'only those', OPERATION_STATUSES),
    limit: count('N', 'how many', { max: PAGE_MAX, fallback: PAGE_DEFAULT }),
    after: optional('ID', 'the last operation of the page before'),
  },
  examples: ['--status requires_operator_review', '--payment pay_01...', '--merchant mer_01... --limit 50'],
  async run(ctx, { merchant: merchantId, payment: paymentId, ...asked }) {
    const { operations, next } = await listOperationPage(ctx, { merchantId, paymentId, ...asked })
    const rows = operations.map((each) => [
      each.id,
      moment(each.createdAt),
      each.type,
      each.status,
      money(each),
      each.paymentId ?? '',
    ])
    const text =
      rows.length > 0
        ? paragraphs(
            table(['Operation', 'Created', 'Type', 'Status', 'Amount', 'Payment'], rows),
            next ? `More: the same with --after ${next}` : counted(rows.length, 'operation'),
          )
        : 'There is no operation here.'
    return { json: { operations: operations.map(presentOperationRecord), next }, text }
  },
})

const resolve = verb({
  name: 'resolve',
  summary: 'Say what came of an operation that requires_operator_review, as the provider’s own books show it',
  flags: {
    operation: OPERATION,
    as: requiredChoice('OUTCOME', 'what came of it', ['succeeded', 'failed'] as const),
    why: WHY,
    by: BY,
  },
  examples: ['--operation opr_01... --as succeeded --why "seen in the bank\'s statement of 2 August"'],
  async run(ctx, { operation: id, as, why, by: actor }, { operator }) {
    await resolveOperation(ctx, id, as, { actor: actor ?? operator, why })
    return describe(ctx, id)
  },
})

export const operation: Noun = {
  name: 'operation',
  summary: 'Refunds, captures, voids and the rest of what is done with money',
  verbs: [list, show, resolve],
}
