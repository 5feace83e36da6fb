/** For each setting of the console, what a person fills in, something wrong, and how to see that it was done. */
import type { SettingName } from '../console/settings/act.ts'
import { getMerchant, listMerchants } from '../merchants/merchant.ts'
import { getMerchantRoutes } from '../merchants/routes.ts'
import type { Kassa, Shop } from './harness.ts'

export type Things = { kassa: Kassa; shop: Shop }
/** `wrong`: a field with a text that is refused. `prepare`: what has to be there first. `look`: what the act changes. */
export type SettingExample = {
  /** A value that no page may repeat. */
  secret?: string
  prepare?(things: Things): Promise<unknown>
  form(things: Things): Record<string, string> | Promise<Record<string, string>>
  wrong?: Record<string, string>
  /** The account that the address names. */
  account?(things: Things): Promise<string>
  look(things: Things): Promise<unknown>
}

const merchant = ({ kassa, shop }: Things) => getMerchant(kassa.ctx, shop.merchantId)
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
}
