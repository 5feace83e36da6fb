/** What became of a case that does not wait any more. */
import type { Context } from '../../context.ts'
import { findOperationById } from '../../storage/payments/operations.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { listReceiptChanges } from '../../storage/payments/receipt-changes.ts'
import { findReceiptById } from '../../storage/payments/receipts.ts'
import { listFindingsById } from '../../storage/reports/findings.ts'
import { findRefundRefusal } from '../../storage/returns/refund-refusals.ts'
import { getOperationHistory } from '../operation-history.ts'
import { getTimeline } from '../payment-timeline.ts'
import type { CaseName } from './case.ts'

/** `by`: a person's name, or the cause. `to`: what it became, in the words of the contract. */
export type CaseEnding = {
  merchantId: string | null
  paymentId: string | null
  to: string
  by: string | null
  why: string | null
  at: Date | null
}

/** Returns null for what never was a case, or not of this merchant. Only kinds that are decided on the desk have a fate. */
export async function findCaseEnding(ctx: Context, name: CaseName): Promise<CaseEnding | null> {
  const ending = await ENDINGS[name.kind]?.(ctx, name)
  return ending && (name.merchantId === null || ending.merchantId === name.merchantId) ? ending : null
}

type Finding = (ctx: Context, name: CaseName) => Promise<CaseEnding | null>
const ENDINGS: Partial<Record<CaseName['kind'], Finding>> = {
  undecided: ofPayment,
  disputed: ofPayment,
  async warning(ctx, { subject }) {
    const payment = await findPaymentById(ctx.db, subject)
    const warning = payment && (await getTimeline(ctx, subject)).warnings.at(-1)
    if (!payment || !warning) return null
    const { settledAt: at, settledBy: by, settledWhy: why } = warning
    return { merchantId: payment.merchantId, paymentId: subject, to: 'settled', by, why, at }
  },
  async operation(ctx, { subject }) {
    if (!(await findOperationById(ctx.db, subject))) return null
    const { operation, changes } = await getOperationHistory(ctx, subject)
    const last = changes.at(-1)
    const { merchantId, paymentId, status: to } = operation
    return { merchantId, paymentId, to, ...of(last) }
  },
  async receipt(ctx, { subject }) {
    const receipt = await findReceiptById(ctx.db, subject)
    if (!receipt) return null
    const { merchantId, paymentId, status: to } = receipt
    const changes = await listReceiptChanges(ctx.db, merchantId, paymentId)
    return { merchantId, paymentId, to, ...of(changes.findLast(({ receiptId }) => receiptId === subject)) }
  },
  async refund_limit(ctx, { subject }) {
    const found = await findRefundRefusal(ctx.db, subject)
    if (!found) return null
    const { merchantId, paymentId, settledBy: by, settledAt: at, settledWhy: why } = found
    return { merchantId, paymentId, to: 'settled', by, why, at }
  },
  async difference(ctx, { subject, accountId }) {
    const [found] = await listFindingsById(ctx.db, accountId ?? '', [subject])
    if (!found) return null
    const { merchantId, paymentId, closedBy: by, closedAt: at, why } = found
    return { merchantId, paymentId, to: 'closed', by, why, at }
  },
}

async function ofPayment(ctx: Context, { subject }: CaseName): Promise<CaseEnding | null> {
  if (!(await findPaymentById(ctx.db, subject))) return null
  const { payment, changes } = await getTimeline(ctx, subject)
  return {
    merchantId: payment.merchantId,
    paymentId: subject,
    to: payment.status,
    ...of(changes.at(-1)),
  }
}

type Change = { actor: string | null; cause?: string; detail: string | null; createdAt: Date }
const of = (change: Change | undefined) => ({
  by: change?.actor ?? change?.cause ?? null,
  why: change?.detail ?? null,
  at: change?.createdAt ?? null,
})
