/** The lists of shops, and of what belongs to a shop. */
import { addressUrl, listAddresses, presentAddress } from '../../merchants/address.ts'
import { type ApiKeyRecord, listTokens, returnsMoney, SCOPES, tokenState } from '../../merchants/api-key.ts'
import { listInstallations } from '../../merchants/installation.ts'
import { listMerchants } from '../../merchants/merchant.ts'
import { moment } from '../../merchants/moment.ts'
import { listOrigins } from '../../merchants/origin.ts'
import { listProducts } from '../../merchants/product.ts'
import { versionOf } from '../../merchants/version.ts'
import { presentInstallation, presentMerchant, presentToken } from '../../operator/merchant-overview.ts'
import { presentProduct } from '../../operator/views/product.ts'
import { amountsText } from '../../payments/money.ts'
import { shop } from '../input.ts'
import { type AnyList, list, ofOne, ofShop } from '../list.ts'

export const merchants = list(
  'merchant list',
  {},
)({
  needs: 'merchant show',
  items: 'merchants',
  counts: ['merchant', 'merchants'],
  cut: 'whole',
  load: async (ctx) => ({ found: await listMerchants(ctx) }),
  columns: {
    id: ({ id }) => id,
    name: ({ name }) => name,
    state: ({ state }) => state,
    callbackUrl: ({ callbackUrl }) => callbackUrl ?? 'no callback URL',
  },
  present: presentMerchant,
  helpExamples: [''],
})

export const addresses = list('address list', { merchantId: ofShop() })({
  needs: 'merchant show',
  items: 'addresses',
  counts: ['address', 'addresses'],
  cut: 'whole',
  load: async (ctx, { merchantId }) => ({ found: await listAddresses(ctx, merchantId) }),
  columns: {
    address: ({ name }, ctx) => addressUrl(ctx, name),
    state: ({ state }) => state,
    productId: ({ productId }) => productId,
    merchantId: ({ merchantId }) => merchantId,
  },
  present: (address, ctx) => presentAddress(ctx, address),
  helpExamples: ['', '--merchant mer_01...'],
})

export const products = list('product list', { merchantId: ofShop() })({
  needs: 'merchant show',
  items: 'products',
  counts: ['product', 'products'],
  cut: 'whole',
  load: async (ctx, { merchantId }) => ({ found: await listProducts(ctx, merchantId) }),
  columns: {
    id: ({ id }) => id,
    name: ({ name }) => name,
    price: (product, ctx) => presentProduct(ctx, product).price,
    asks: ({ display }) => Object.keys(display?.fields ?? {}).join(', '),
    route: ({ provider }) => provider ?? 'the default',
    merchantId: ({ merchantId }) => merchantId,
  },
  present(product, ctx) {
    const { merchantId } = product
    return { ...presentProduct(ctx, product), version: versionOf(product), merchantId }
  },
  also: ofOne,
  helpExamples: ['', '--merchant mer_01...'],
})

export const tokens = list('token list', { merchantId: ofShop() })({
  needs: 'merchant show',
  items: 'tokens',
  counts: ['token', 'tokens'],
  cut: 'whole',
  load: async (ctx, { merchantId }) => ({ found: await listTokens(ctx, merchantId) }),
  columns: {
    id: ({ id }) => id,
    state: (token, { clock }) => stateText(token, clock.now()),
    issuedAt: ({ createdAt }) => createdAt,
    merchantId: ({ merchantId }) => merchantId,
    scopes: ({ scopes }) => (scopes.length === SCOPES.length ? 'all' : scopes.join(', ')),
    refunds: refundsText,
  },
  present(token, { clock }) {
    const { merchantId } = token
    return { ...presentToken(token), merchantId, state: tokenState(token, clock.now()) }
  },
  also: (filter, { world }) => ({ ...ofOne(filter), world }),
  helpExamples: ['', '--merchant mer_01...'],
})

function stateText(token: ApiKeyRecord, now: Date): string {
  const state = tokenState(token, now)
  const at = token.revokedAt ?? token.expiresAt
  if (!at) return state
  return state === 'replaced' ? `replaced, ends ${moment(at)}` : `${state} ${moment(at)}`
}

/** A token of an earlier version has no limits, whatever its issuer may return. */
function refundsText(token: ApiKeyRecord): string {
  if (!returnsMoney(token)) return 'none'
  if (token.issuedBy === null) return 'no limit (issued by an earlier version)'
  const { refundLimits, refundLimitsDay } = token
  if (!refundLimits && !refundLimitsDay) return 'no limit of its own'
  const parts = [
    refundLimits && `up to ${amountsText(refundLimits)}`,
    refundLimitsDay && `up to ${amountsText(refundLimitsDay)} a day`,
  ]
  return parts.filter(Boolean).join(', ')
}

export const origins = list('origin list', { merchantId: shop() })({
  needs: 'merchant show',
  items: 'origins',
  counts: ['origin', 'origins'],
  cut: 'whole',
  load: async (ctx, { merchantId }) => ({ found: await listOrigins(ctx, merchantId) }),
  columns: {
    id: ({ origin }) => origin,
    allowed: ({ trustedAt }) => trustedAt ?? 'not allowed',
    approved: ({ approvedAt }) => approvedAt ?? 'not reviewed',
  },
  present: (origin) => origin,
  also: ofOne,
  helpExamples: ['--merchant mer_01...'],
})

export const installations = list('installation list', { merchantId: shop() })({
  needs: 'merchant show',
  items: 'installations',
  counts: ['installation', 'installations'],
  cut: 'whole',
  load: async (ctx, { merchantId }) => ({ found: await listInstallations(ctx, merchantId) }),
  columns: {
    id: ({ id }) => id,
    publicKey: ({ publicKey }) => publicKey,
    state: ({ revokedAt }) => (revokedAt ? `revoked ${moment(revokedAt)}` : 'active'),
    origins: ({ origins: each }) => each.join(', '),
  },
  present: presentInstallation,
  also: ofOne,
  helpExamples: ['--merchant mer_01...'],
})

export const SHOP_LISTS: readonly AnyList[] = [merchants, addresses, products, tokens, origins, installations]
