/** A merchant with everything that belongs to it, as an operator sees it. */
import type { Context } from '../context.ts'
import { type ApiKeyRecord, listTokens, returnsMoney } from '../merchants/api-key.ts'
import { type InstallationRecord, listInstallations } from '../merchants/installation.ts'
import { getMerchant, type MerchantRecord } from '../merchants/merchant.ts'
import { getOnboarding, type Onboarding } from '../merchants/onboarding.ts'
import { listTrustedOrigins } from '../merchants/origin.ts'
import { listProducts, type ProductRecord } from '../merchants/product.ts'
import { findReceiverOf, type ReceiverRecord } from '../receivers/receiver.ts'

export type MerchantOverview = {
  merchant: MerchantRecord
  origins: string[]
  installations: InstallationRecord[]
  products: ProductRecord[]
  tokens: ApiKeyRecord[]
  /** Null while no delivery has failed. */
  receiver: ReceiverRecord | null
  /** The steps to live payments. */
  onboarding: Onboarding
}

/** @throws AppError not_found */
export async function getMerchantOverview(ctx: Context, merchantId: string): Promise<MerchantOverview> {
  const merchant = await getMerchant(ctx, merchantId)
  const [origins, installations, products, tokens, receiver, onboarding] = await Promise.all([
    listTrustedOrigins(ctx, merchantId),
    listInstallations(ctx, merchantId),
    listProducts(ctx, merchantId),
    listTokens(ctx, merchantId),
    findReceiverOf(ctx, merchantId),
    getOnboarding(ctx, merchantId),
  ])
  return { merchant, origins, installations, products, tokens, receiver, onboarding }
}

/** The names of the steps that are done and of those that are open. */
export function presentOnboarding({ complete, steps }: Onboarding) {
  const names = (done: boolean) => steps.filter((each) => each.done === done).map(({ step }) => step)
  return { complete, done: names(true), open: names(false) }
}

export function presentMerchant({ id: merchantId, ...record }: MerchantRecord) {
  return { merchantId, ...record }
}

/** The token itself is never part of it. */
export function presentToken(record: ApiKeyRecord) {
  const { id: tokenId, scopes, createdAt, expiresAt, revokedAt } = record
  return {
    tokenId,
    scopes,
    createdAt,
    expiresAt,
    revokedAt,
    ...(returnsMoney(record) && presentLimits(record)),
  }
}

export const presentLimits = ({ issuedBy, isApproved, refundLimits, refundLimitsDay }: ApiKeyRecord) => ({
  issuedBy,
  refundLimits,
  refundLimitsDay,
  isApproved,
  isUnlimitedOld: issuedBy === null,
})

/** The public key is no secret: every page with the button contains it. */
export function presentInstallation(record: InstallationRecord) {
  const {
    id: installationId,
    merchantId,
    publicKey,
    origins,
    returnUrl,
    shopUrl,
    skipsCheckout,
    createdAt,
    revokedAt,
  } = record
  return {
    installationId,
    merchantId,
    publicKey,
    origins,
    returnUrl,
    shopUrl,
    skipsCheckout,
    route: record.provider,
    createdAt,
    revokedAt,
  }
}
