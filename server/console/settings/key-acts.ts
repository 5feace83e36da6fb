/** The public keys of a shop's pay buttons, and the pages that may use each. */
import type { Context } from '../../context.ts'
import { PROVIDER_ROUTES, type ProviderRoute } from '../../contract/fields.ts'
import { setCheckoutSkip } from '../../merchants/checkout-skip.ts'
import {
  allowOrigin,
  createInstallation,
  forbidOrigin,
  type InstallationRecord,
  listInstallations,
  revokeInstallation,
  setShopUrl,
} from '../../merchants/installation.ts'
import type { Option } from '../form-parts.ts'
import { say } from '../words/say.ts'
import { type Given, type Line, type Scene, type SettingAct, type SettingName, setting } from './act.ts'
import type { Field } from './fields.ts'

type Present = { keys: InstallationRecord[] }

const present = async ({ ctx, about }: Scene): Promise<Present> => ({
  keys: await listInstallations(ctx, about),
})

const linesOf = (text = '') => text.split('\n').flatMap((line) => line.trim() || [])
const placesOf = ({ origins, shopUrl }: InstallationRecord) => origins.join(', ') || (shopUrl ?? '')

const ORIGIN: Field = { name: 'origin', label: 'setOrigin', kind: 'url', hint: 'setOriginHint', max: 300 }
const SHOP_URL: Field = {
  name: 'shopUrl',
  label: 'setShopUrl',
  kind: 'url',
  hint: 'setShopUrlHint',
  isOptional: true,
}

const create = setting<Present>({
  ...{ name: 'installation_create', needs: 'installation create', place: 'shop', group: 'setKeys', present },
  fields: () => [
    { name: 'origins', label: 'setOrigins', kind: 'long', hint: 'setOriginsHint', isOptional: true },
    { name: 'page', label: 'setPage', kind: 'url', hint: 'setPageHint', isOptional: true },
    { name: 'returnUrl', label: 'setReturnUrl', kind: 'url', hint: 'setReturnUrlHint', isOptional: true },
    SHOP_URL,
    {
      ...{ name: 'route', label: 'setRoute', kind: 'choice', hint: 'setRouteHint', isOptional: true },
      options: PROVIDER_ROUTES.map((route) => [route, route] as const),
    },
  ],
  blames: 'origins',
  changes: ({ origins, page = '', returnUrl = '', shopUrl = '', route = '' }) => [
    ['setOrigins', null, linesOf(origins).join(', ')],
    ['setPage', null, page],
    ['setReturnUrl', null, returnUrl],
    ['setShopUrl', null, shopUrl],
    ['setRoute', null, route],
  ],
  async run(ctx, { origins, page, returnUrl, shopUrl, route }, { about }) {
    const record = await createInstallation(ctx, {
      ...{ merchantId: about, origins: linesOf(origins), page: page || undefined },
      ...{ returnUrl: returnUrl || undefined, shopUrl: shopUrl || undefined },
      provider: (route || undefined) as ProviderRoute | undefined,
    })
    return {
      told: 'setKeyMade',
      lines: [
        ['setKey', record.publicKey],
        ['setKeyId', record.id],
        ['setOrigins', record.origins.join(', ')],
      ],
    }
  },
})

const active = ({ keys }: Present) => keys.filter(({ revokedAt }) => !revokedAt)
const keyField = (shown: Present): Field => ({
  ...{ name: 'installation', label: 'setKey', kind: 'choice' },
  options: active(shown).map((each): Option => [each.id, `${placesOf(each)} · ${each.publicKey}`]),
})

type OfKey = {
  name: SettingName
  needs: SettingAct['needs']
  fields: readonly Field[]
  blames: string
  change(given: Given, key: InstallationRecord, scene: Scene): Line
  run(ctx: Context, id: string, given: Given): Promise<unknown>
}

/** An act on one of the keys that are not revoked. */
const ofKey = ({ name, needs, fields, blames, change, run }: OfKey) =>
  setting<Present>({
    ...{ name, needs, place: 'shop', group: 'setKeys', present, blames },
    whyNot: (shown) => (active(shown).length > 0 ? null : 'setKeysNone'),
    fields: (shown) => [keyField(shown), ...fields],
    changes: (given, { keys }, scene) => {
      const key = keys.find(({ id }) => id === given.installation)
      return key ? [['setKey', key.publicKey, key.publicKey], change(given, key, scene)] : []
    },
    async run(ctx, given) {
      await run(ctx, given.installation ?? '', given)
      return 'done'
    },
  })

const allow = ofKey({
  ...{ name: 'installation_allow', needs: 'installation allow', fields: [ORIGIN], blames: 'origin' },
  change: ({ origin }, { origins }) => [
    'setOrigins',
    origins.join(', '),
    [...new Set([...origins, origin])].join(', '),
  ],
  run: (ctx, id, { origin = '' }) => allowOrigin(ctx, id, origin),
})

const forbid = ofKey({
  ...{ name: 'installation_forbid', needs: 'installation forbid', fields: [ORIGIN], blames: 'origin' },
  change: ({ origin }, { origins }) => [
    'setOrigins',
    origins.join(', '),
    origins.filter((each) => each !== origin).join(', '),
  ],
  run: (ctx, id, { origin = '' }) => forbidOrigin(ctx, id, origin),
})

const shopUrl = ofKey({
  ...{ name: 'installation_shop', needs: 'installation shop', fields: [SHOP_URL], blames: 'shopUrl' },
  change: ({ shopUrl: wanted = '' }, key) => ['setShopUrl', key.shopUrl, wanted],
  run: (ctx, id, { shopUrl: wanted = '' }) => setShopUrl(ctx, id, wanted || null),
})

const checkout = ofKey({
  ...{ name: 'installation_checkout', needs: 'installation checkout', blames: 'installation' },
  fields: [{ name: 'skip', label: 'setSkip', kind: 'tick' }],
  change: ({ skip }, { skipsCheckout }, { visit: { locale } }) => [
    'setSkip',
    say(locale, skipsCheckout ? 'setYes' : 'setNo'),
    say(locale, skip === 'yes' ? 'setYes' : 'setNo'),
  ],
  run: (ctx, id, { skip }) => setCheckoutSkip(ctx, id, skip === 'yes'),
})

const revoke = ofKey({
  ...{ name: 'installation_revoke', needs: 'installation revoke', fields: [], blames: 'installation' },
  change: (_given, key, { visit: { locale } }) => ['setOrigins', placesOf(key), say(locale, 'setRevoked')],
  run: (ctx, id) => revokeInstallation(ctx, id),
})

export const KEY_ACTS: readonly SettingAct[] = [create, allow, forbid, shopUrl, checkout, revoke]
