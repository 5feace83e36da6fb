/** `operation`: refunds and the other guarded operations. An operator resolves those with an unknown outcome. */
import type { Context } from '../../context.ts'
import {
  getOperationHistory,
  presentOperationChange,
  presentOperationRecord,
} from '../../operator/operation-history.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { required } from '../flag.ts'
import { moment, momentFrom, operationAmount, pairs, paragraphs, table } from '../layout.ts'

const SERVICE = 'the service itself, because a second attempt brought money that the payment does not need'
const OF_SAVING = 'the service itself, because the payment method was saved by a real payment'
const OPERATION = required('ID', "the operation's id (opr_...)")

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show an operation with its history',
  flags: { operation: OPERATION },
  examples: ['--operation opr_01...'],
  run: (ctx, { operation }) => describeOperation(ctx, operation),
})

export async function describeOperation(ctx: Context, id: string) {
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

export const operation: Noun = {
  name: 'operation',
  summary: 'List, show and resolve refunds, captures and voids',
  verbs: [show],
}
