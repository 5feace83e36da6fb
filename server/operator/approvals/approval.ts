/** One proposal, with everything that it does, what it replaces, and whether it can still be granted. */
import { type Context, systemClock } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { findProposal, type ProposalRecord } from '../../storage/audit/proposals.ts'
import { findMerchant } from '../../storage/merchants/merchants.ts'
import { findOperationById } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { valuesOf } from './approvals.ts'
import { type Fact, factsOf } from './facts.ts'
import { type Proposal, withNames } from './listing.ts'
import { rowOf } from './weigh.ts'

/**
 * `facts`: what follows from the bound values; none once it is decided, because the values are gone then. `payment`: the one whose money
 * it moves. `hasMoved`: what the proposer saw is different by now, so the proposal cannot be granted. `isUnreadable`: this version, or
 * SECRETS_KEY, cannot read the values, so nobody should grant it.
 */
export type Approval = {
  proposal: Proposal
  merchantName: string | null
  facts: Fact[]
  payment: AttemptedPayment | null
  hasMoved: boolean
  isExpired: boolean
  isUnreadable: boolean
}

/** @throws AppError not_found for an unknown proposal, or one of another merchant than `merchantId` */
export async function getApproval(
  ctx: Context,
  id: string,
  merchantId: string | null = null,
): Promise<Approval> {
  const record = await findProposal(ctx.db, id)
  if (!record || (merchantId !== null && record.merchantId !== merchantId))
    throw new AppError('not_found', { message: `There is no proposal ${id} in this world.` })
  const [proposal] = await withNames(ctx, [record])
  if (!proposal) throw new Error('Bug! A proposal without a name.')
  const merchant = record.merchantId === null ? null : await findMerchant(ctx.db, record.merchantId)
  return {
    proposal,
    merchantName: merchant?.name ?? null,
    isExpired: record.state === 'open' && record.expiresAt <= systemClock.now(),
    ...(await readValues(ctx, record)),
  }
}

type ReadProposal = Pick<Approval, 'facts' | 'payment' | 'hasMoved' | 'isUnreadable'>

async function readValues(ctx: Context, record: ProposalRecord): Promise<ReadProposal> {
  const nothing = { facts: [], payment: null, hasMoved: false, isUnreadable: false }
  if (!record.sealed) return nothing
  const [row, args] = [rowOf(record.what), tryToOpen(ctx, record)]
  if (!row || !args) return { ...nothing, isUnreadable: true }
  return {
    facts: await factsOf(row.shows, { ctx, args }),
    payment: await paymentOf(ctx, args),
    hasMoved: await row.hasMoved(ctx, args),
    isUnreadable: false,
  }
}

function tryToOpen(ctx: Context, record: ProposalRecord): object | null {
  try {
    return valuesOf(ctx, record)
  } catch (error) {
    ctx.log.error({ err: error, proposalId: record.id }, 'the values of a proposal cannot be read')
    return null
  }
}

type Given = { paymentId?: string; operationId?: string }

async function paymentOf(ctx: Context, given: Given): Promise<AttemptedPayment | null> {
  const { operationId } = given
  const operation = operationId === undefined ? null : await findOperationById(ctx.db, operationId)
  const paymentId = given.paymentId ?? operation?.paymentId ?? null
  return paymentId === null ? null : findPaymentById(ctx.db, paymentId)
}
