/** Making a shop. */

import { makeMerchant } from '../../operator/acts/new-merchant.ts'
import { doOrRehearse } from '../../operator/acts/rehearse.ts'
import { createMerchant } from '../../operator/create-merchant.ts'
import { listNewestMerchants } from '../../storage/merchants/merchants.ts'
import { type SettingAct, setting } from './act.ts'
import type { Field } from './fields.ts'

const NAME: Field = { name: 'name', label: 'setName', kind: 'text', max: 120 }

const create = setting<{ last: string | null }>({
  ...{ name: 'merchant_create', needs: 'merchant create', place: 'deployment', group: 'setShops' },
  async present({ ctx }) {
    return { last: (await listNewestMerchants(ctx.db, 1))[0]?.id ?? null }
  },
  fields: () => [
    NAME,
    { name: 'url', label: 'callbackUrl', kind: 'url', hint: 'setCallbackLater', isOptional: true },
  ],
  blames: 'url',
  changes: ({ name = '', url = '' }) => [
    ['setName', null, name],
    ['callbackUrl', null, url],
  ],
  async rehearse(ctx, { name = '', url }) {
    const wish = { name, callbackUrl: url || undefined }
    await doOrRehearse(ctx, { dryRun: true }, (own) => createMerchant(own, wish))
    return []
  },
  async run(ctx, { name = '', url }, _scene, person) {
    const wish = { name, callbackUrl: url || undefined }
    const { merchantId, webhookSecret, proposed } = await makeMerchant(ctx, person, wish)
    if (webhookSecret === null)
      return {
        told: proposed ? 'setMerchantCallbackWaits' : 'setMerchantNoSecret',
        lines: [['merchantId', merchantId]],
      }
    return {
      secrets: [
        ['merchantId', merchantId],
        ['setWebhookSecret', webhookSecret],
      ],
    }
  },
})

export const MERCHANT_ACTS: readonly SettingAct[] = [create]
