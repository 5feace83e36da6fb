/** For each setting of the console, what a person fills in, something wrong, and how to see that it was done. */
import type { SettingName } from '../console/settings/act.ts'
import { issueToken, listTokens } from '../merchants/api-key.ts'
import { listInstallations } from '../merchants/installation.ts'
import { getMerchant, listMerchants } from '../merchants/merchant.ts'
import { approveOrigin, listOrigins } from '../merchants/origin.ts'
import { getMerchantRoutes } from '../merchants/routes.ts'
import { setCallback } from '../receivers/receiver.ts'
import { listWebhookSecrets } from '../receivers/secret.ts'
import { findLatestCallbackCheck } from '../storage/events/callback-checks.ts'
import type { Kassa, Shop } from './harness.ts'

export type Things = { kassa: Kassa; shop: Shop }
/** `wrong`: a field with a text that is refused. `prepare`: what has to be there first. `look`: what the act changes. */
export type SettingExample = {
  /** A value that no page may repeat. */
  secret?(): string
  prepare?(things: Things): Promise<unknown>
  form(things: Things): Record<string, string> | Promise<Record<string, string>>
  wrong?: Record<string, string>
  /** The account that the address names. */
  account?(things: Things): Promise<string>
  look(things: Things): Promise<unknown>
  /** It may be done again at once, and changes nothing then. */
  repeats?: boolean
}

const merchant = ({ kassa, shop }: Things) => getMerchant(kassa.ctx, shop.merchantId)
const origins = ({ kassa, shop }: Things) => listOrigins(kassa.ctx, shop.merchantId)
const keys = ({ kassa, shop }: Things) => listInstallations(kassa.ctx, shop.merchantId)
const tokens = ({ kassa, shop }: Things) => listTokens(kassa.ctx, shop.merchantId)
const lastToken = async (things: Things) =>
  (await tokens(things)).findLast(({ revokedAt, expiresAt }) => !revokedAt && !expiresAt)?.id ?? ''
let leaked = { token: 'x', tokenId: '' }
const state = async (things: Things) => (await merchant(things)).state

export const SETTING_EXAMPLES: Partial<Record<SettingName, SettingExample>> = {
  merchant_create: {
    form: () => ({ name: 'A new shop', url: '' }),
    wrong: { url: 'nonsense' },
    look: async ({ kassa }) => (await listMerchants(kassa.ctx)).length,
  },
  merchant_rename: {
    form: () => ({ name: 'Another name' }),
    wrong: { name: 'x'.repeat(121) },
    look: async (things) => (await merchant(things)).name,
  },
  merchant_pause: { form: () => ({ why: 'it moves' }), wrong: { why: 'w'.repeat(241) }, look: state },
  merchant_close: { form: () => ({ why: 'it ends' }), wrong: { why: 'w'.repeat(241) }, look: state },
  merchant_resume: { form: () => ({}), look: state },
  merchant_routes: {
    form: () => ({ routes: 'route_a=Bank card\nroute_b=Wallet', label_ru: 'route_a=Карта', marks: '' }),
    wrong: { routes: 'route_z=Bank card' },
    look: ({ kassa, shop }) => getMerchantRoutes(kassa.ctx, shop.merchantId),
  },
  callback_set: {
    form: () => ({ url: 'https://shop.example/events', book: '' }),
    wrong: { url: 'http://shop.example/events' },
    look: async (things) => (await merchant(things)).callbackUrl,
  },
  callback_rotate: {
    form: () => ({ overlap: '24h' }),
    wrong: { overlap: '8h' },
    look: ({ kassa, shop }) => listWebhookSecrets(kassa.ctx, shop.merchantId),
  },
  callback_verify: {
    prepare: ({ kassa, shop }) => setCallback(kassa.ctx, shop.merchantId, `${kassa.url}/nobody`),
    form: () => ({}),
    look: async ({ kassa, shop }) =>
      (await findLatestCallbackCheck(kassa.ctx.db, shop.merchantId, `${kassa.url}/nobody`))?.id,
  },
  origin_add: {
    form: () => ({ origin: 'https://office.shop.example' }),
    wrong: { origin: 'https://office.shop.example/page' },
    look: origins,
  },
  origin_remove: {
    form: () => ({ origin: 'https://office.shop.example' }),
    wrong: { origin: 'https://other.example' },
    look: origins,
  },
  origin_disapprove: {
    prepare: ({ kassa, shop }) => approveOrigin(kassa.ctx, shop.merchantId, 'https://seen.example'),
    form: () => ({ origin: 'https://seen.example' }),
    wrong: { origin: 'https://other.example' },
    look: origins,
  },
  installation_create: {
    form: () => ({ origins: 'https://a.example\nhttps://b.example', returnUrl: 'https://a.example/thanks' }),
    wrong: { origins: 'https://a.example/page' },
    look: keys,
  },
  installation_allow: {
    form: ({ shop }) => ({ installation: shop.installationId, origin: 'https://www.shop.example' }),
    wrong: { origin: 'https://*.shop.example', installation: 'ins_unknown' },
    look: keys,
  },
  installation_forbid: {
    form: ({ shop }) => ({ installation: shop.installationId, origin: 'https://www.shop.example' }),
    wrong: { origin: 'https://not.example' },
    look: keys,
  },
  installation_shop: {
    form: ({ shop }) => ({ installation: shop.installationId, shopUrl: 'https://shop.example/tea' }),
    wrong: { shopUrl: 'javascript:alert(1)' },
    look: keys,
  },
  installation_checkout: {
    form: ({ shop }) => ({ installation: shop.installationId, skip: 'yes' }),
    look: keys,
  },
  installation_revoke: {
    form: ({ shop }) => ({ installation: shop.installationId }),
    wrong: { installation: 'ins_unknown' },
    look: keys,
  },
  token_issue: {
    form: () => ({ scope_payments_read: 'yes' }),
    wrong: { scope_payments_read: '' },
    look: tokens,
  },
  token_rotate: {
    form: async (things) => ({ token: await lastToken(things), overlap: '1h' }),
    wrong: { token: 'tok_unknown', overlap: '2h' },
    look: tokens,
  },
  token_revoke: {
    form: async (things) => ({ token: await lastToken(things) }),
    wrong: { token: 'tok_unknown' },
    look: tokens,
  },
  token_leaked: {
    async prepare({ kassa, shop }) {
      leaked = await issueToken(kassa.ctx, { merchantId: shop.merchantId })
    },
    form: () => ({ token: leaked.token }),
    secret: () => leaked.token,
    wrong: { token: 'a text that is no token' },
    look: async (things) => (await tokens(things)).find(({ id }) => id === leaked.tokenId)?.revokedAt,
    repeats: true,
  },
}
