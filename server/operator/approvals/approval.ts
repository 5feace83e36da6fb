/** One proposal, with what is at stake. */
import { type Context, systemClock } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { withoutQuery } from '../../receivers/receiver.ts'
import { listAccounts } from '../../storage/accounts/accounts.ts'
import { findProposal, type ProposalRecord } from '../../storage/audit/proposals.ts'
import { findReceiver } from '../../storage/events/receivers.ts'
import { findMerchant } from '../../storage/merchants/merchants.ts'
import { findOperationById } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { type Proposal, withNames } from './approvals.ts'
import { BANK_ACCOUNT, type BankAccount, presentOf, presentText, seenOf } from './bank-account.ts'

/**
 * `payment`: the one whose money it moves. `hasMoved`: that payment, or the shop's account, is not as the proposer saw it, so the
 * proposal cannot be granted. `instead`: the address or the account that another one is to replace.
 */
export type Approval = {
  proposal: Proposal
  merchantName: string | null
  payment: AttemptedPayment | null
  hasMoved: boolean
  isExpired: boolean
  instead: string | null
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
  const { paymentId, version, bank } = await subjectOf(ctx, record)
  const payment = paymentId === null ? null : await findPaymentById(ctx.db, paymentId)
  const merchant = record.merchantId === null ? null : await findMerchant(ctx.db, record.merchantId)
  const accounts = bank ? await listAccounts(ctx.db) : []
  const isCallback = record.what === 'callback set' && record.merchantId !== null
  return {
    proposal,
    merchantName: merchant?.name ?? null,
    payment,
    hasMoved:
      (payment !== null && version !== null && payment.version !== version) ||
      (bank?.seen !== undefined && bank.seen !== seenOf(accounts, bank)),
    isExpired: record.state === 'open' && record.expiresAt <= systemClock.now(),
    instead: isCallback
      ? await urlOf(ctx, record.merchantId ?? '')
      : bank && presentText(presentOf(accounts, bank)),
  }
}

/** An address may carry a secret in its query. */
async function urlOf(ctx: Context, merchantId: string): Promise<string | null> {
  const receiver = await findReceiver(ctx.db, merchantId)
  return receiver?.url ? withoutQuery(receiver.url) : null
}

type Subject = { paymentId: string | null; version: number | null; bank: BankAccount | null }

/** Which payment it is about, and the version that is bound to it. The values are not there any more once it is decided. */
async function subjectOf(ctx: Context, { id, what, keyId, sealed }: ProposalRecord): Promise<Subject> {
  if (!keyId || !sealed) return { paymentId: null, version: null, bank: null }
  const given = JSON.parse(ctx.vault.open({ keyId, sealed }, [ctx.world, id, 'proposal']))
  if (what === BANK_ACCOUNT) return { paymentId: null, version: null, bank: given }
  return { ...(await paymentOf(ctx, given)), bank: null }
}

type Given = { paymentId?: string; operationId?: string; version?: number }

async function paymentOf(ctx: Context, given: Given): Promise<Omit<Subject, 'bank'>> {
  const version = given.version ?? null
  if (given.operationId === undefined) return { paymentId: given.paymentId ?? null, version }
  return { paymentId: (await findOperationById(ctx.db, given.operationId))?.paymentId ?? null, version }
}
