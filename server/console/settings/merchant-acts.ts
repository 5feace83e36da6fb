/** Making a shop, its name, and whether it may take new payments. */

import type { Context } from '../../context.ts'
import { getMerchant, type MerchantRecord } from '../../merchants/merchant.ts'
import type { MerchantState } from '../../merchants/state.ts'
import { changeMerchantState } from '../../operator/acts/merchant-state.ts'
import { makeMerchant } from '../../operator/acts/new-merchant.ts'
import { doOrRehearse } from '../../operator/acts/rehearse.ts'
import { createMerchant } from '../../operator/create-merchant.ts'
import { listNewestMerchants } from '../../storage/merchants/merchants.ts'
import { say } from '../words/say.ts'
import { type Scene, type SettingAct, setting } from './act.ts'
import type { Field } from './fields.ts'

const NAME: Field = { name: 'name', label: 'setName', kind: 'text', max: 120 }
const WHY: Field = { name: 'why', label: 'why', kind: 'text', hint: 'setWhyHint', isOptional: true, max: 240 }

const ownMerchant = ({ ctx, about }: Scene): Promise<MerchantRecord> => getMerchant(ctx, about)

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

/** `from`: the states from which it can be done. */
const states = [
  { name: 'merchant_pause', needs: 'merchant pause', to: 'paused', from: ['open'] },
  { name: 'merchant_close', needs: 'merchant close', to: 'closed', from: ['open', 'paused'] },
  { name: 'merchant_resume', needs: 'merchant resume', to: 'open', from: ['paused', 'closed'] },
] as const

const stateActs = states.map(({ name, needs, to, from }) =>
  setting<MerchantRecord>({
    ...{ name, needs, place: 'shop', group: 'setShop' },
    present: ownMerchant,
    whyNot: ({ state }) => ((from as readonly string[]).includes(state) ? null : `setIs_${state}`),
    fields: () => (to === 'open' ? [] : [WHY]),
    blames: 'why',
    changes: ({ why = '' }, { state, stoppedWhy }, { visit: { locale } }) => [
      ['setState', say(locale, `merchant_${state}`), say(locale, `merchant_${to}`)],
      ['why', stoppedWhy, why],
    ],
    async rehearse(ctx, { why }, scene) {
      const { open } = await stateChange(ctx, scene, { state: to, why, dryRun: true })
      return open.map(({ world, what, count }) => [
        { as: say(scene.visit.locale, `world_${world}`) },
        null,
        `${count} ${say(scene.visit.locale, `open_${what}`)}`,
      ])
    },
    async run(ctx, { why }, scene) {
      await stateChange(ctx, scene, { state: to, why, dryRun: false })
      return 'done'
    },
  }),
)

type Wish = { state: MerchantState; why: string | undefined; dryRun: boolean }

const stateChange = (ctx: Context, { visit, about }: Scene, { why, ...wish }: Wish) =>
  changeMerchantState(ctx, visit.worlds, { merchantId: about, why: why || undefined, ...wish })

export const MERCHANT_ACTS: readonly SettingAct[] = [create, ...stateActs]
