/** `operation`: refunds and the other guarded operations. An operator resolves those with an unknown outcome. */
import type { Context } from '../../context.ts'
import { OPERATION_STATUSES } from '../../contract/operation.ts'
import { doOrPropose } from '../../operator/approvals/approvals.ts'
import { getOperationHistory, listOperationPage } from '../../operator/operation-history.ts'
import { presentOperationChange, presentOperationRecord } from '../../operator/operation-view.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { optional, optionalChoice, pageFlags, required, requiredChoice, VERSION, WHY } from '../flag.ts'
import {
  listText,
  moment,
  momentFrom,
  operationAmount,
  operationType,
  pageEnd,
  pairs,
  paragraphs,
  table,
} from '../layout.ts'
import { proposedOutcome } from '../proposal-text.ts'

const SERVICE = 'the service itself, because a second attempt brought money that the payment does not need'
const OF_SAVING = 'the service itself, because the payment method was saved by a real payment'
const OPERATION = required('ID', "the operation's id (opr_...)")

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show an operation with its history',
  flags: { operation: OPERATION },
  examples: ['--operation opr_01...'],
  run: (ctx, { operation }) => describe(ctx, operation),
})

async function describe(ctx: Context, id: string) {
  const { operation, paymentVersion, changes } = await getOperationHistory(ctx, id)
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
      ['Reason', operation.statusReason],
      ['Amount', operationAmount(operation)],
      ['Asked for by', operation.cause === 'service' ? (operation.paymentId ? SERVICE : OF_SAVING) : null],
      ['Payment', operation.paymentId],
      ['Attempt', operation.paymentId && operation.attempt !== null ? String(operation.attempt) : null],
      ['Payment version', paymentVersion === null ? null : String(paymentVersion)],
      ['Saved method', operation.tokenId],
      ['Subscription', operation.subscriptionId],
      ['Merchant', operation.merchantId],
      ['Route', operation.provider],
      ['At the provider', operation.providerOperationId],
      [operation.cause === 'service' ? 'Reason given' : "Merchant's reason", operation.reason],
      ['Sent', operation.sentAt && momentFrom(operation.sentAt, now)],
      ['Provider before', operation.before ? JSON.stringify(operation.before) : null],
      ['Next step', operation.dueAt && momentFrom(operation.dueAt, now)],
    ]),
    `History\n${table(['When', 'Status', 'Cause', 'Detail'], rows)}`,
    waits &&
      `Look up the outcome in the provider's own records, and store it:\n  ${ADMIN} operation resolve --operation ${id} --as succeeded${paymentVersion === null ? '' : ` --version ${paymentVersion}`} --why "..."`,
  )
  return {
    json: {
      operation: { ...presentOperationRecord(operation), paymentVersion },
      history: changes.map(presentOperationChange),
    },
    text,
  }
}

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List operations, newest first, page by page',
  flags: {
    merchant: optional('ID', 'only operations of this merchant'),
    payment: optional('ID', 'only operations of this payment'),
    status: optionalChoice('STATUS', 'only operations with this status', OPERATION_STATUSES),
    ...pageFlags('operation'),
  },
  examples: ['--status requires_operator_review', '--payment pay_01...', '--merchant mer_01... --limit 50'],
  async run(ctx, { merchant: merchantId, payment: paymentId, ...filter }) {
    const { operations, next } = await listOperationPage(ctx, { merchantId, paymentId, ...filter })
    const rows = operations.map((each) => [
      each.id,
      moment(each.createdAt),
      operationType(each),
      each.status,
      operationAmount(each),
      each.paymentId ?? '',
    ])
    const text = listText(
      ['Operation', 'Created', 'Type', 'Status', 'Amount', 'Payment'],
      rows,
      'No operations found.',
      pageEnd(next, rows.length, 'operation'),
    )
    return { json: { operations: operations.map(presentOperationRecord), next }, text }
  },
})

const resolve = verb({
  name: 'resolve',
  needs: 'operator',
  summary: 'Store the outcome of an operation that requires_operator_review',
  flags: {
    operation: OPERATION,
    as: requiredChoice('OUTCOME', "the outcome, as the provider's own records show it", [
      'succeeded',
      'failed',
    ] as const),
    version: VERSION,
    why: WHY,
  },
  examples: ['--operation opr_01... --as succeeded --why "seen in the bank\'s statement of 2 August"'],
  async run(ctx, { operation: id, as, version, why }, { person }) {
    const args = { operationId: id, as, why, version }
    const decided = await doOrPropose(ctx, person, 'operation resolve', args)
    if ('proposed' in decided) return proposedOutcome(decided.proposed)
    return describe(ctx, id)
  },
})

export const operation: Noun = {
  name: 'operation',
  summary: 'List, show and resolve refunds, captures and voids',
  verbs: [list, show, resolve],
}
