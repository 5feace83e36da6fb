/** The acts on the public keys of a shop's pay buttons, and on the pages that may use each. */
import { payUrl } from '../channels/settings.ts'
import type { Context } from '../context.ts'
import { PROVIDER_ROUTES } from '../contract/fields.ts'
import { setCheckoutSkip } from '../merchants/checkout-skip.ts'
import {
  allowOrigin,
  createInstallation,
  forbidOrigin,
  getInstallation,
  type InstallationRecord,
  installPageUrl,
  listInstallations,
  revokeInstallation,
  setShopUrl,
} from '../merchants/installation.ts'
import { type Fact, shopFact, textFact, wordFact } from '../operator/approvals/facts.ts'
import { presentInstallation } from '../operator/merchant-overview.ts'
import { routeWarning } from '../operator/routes.ts'
import { type AnyRow, act } from './act.ts'
import { choice, lines, oneOfOrNone, optionalUrl, shop, tick, url } from './input.ts'

type Current = { keys: InstallationRecord[] }

/** Returns the keys that are not revoked, the newest first. */
const working = async (ctx: Context, merchantId: string): Promise<Current> => ({
  keys: (await listInstallations(ctx, merchantId)).filter(({ revokedAt }) => !revokedAt).toReversed(),
})
const unlessNone = ({ keys }: Current) => (keys.length > 0 ? null : 'acts.installation.none')
const choicesOf = ({ keys }: Current) =>
  keys.map(({ id, publicKey, origins, shopUrl }) => ({
    id,
    text: `${origins.join(', ') || (shopUrl ?? '')} · ${publicKey}`,
  }))

const installation = () => choice({ placeholder: 'ID' })
const origin = () => url({ placeholder: 'O', max: 300 })

async function keyFacts(ctx: Context, id: string): Promise<Fact[]> {
  const { publicKey, merchantId } = await getInstallation(ctx, id)
  return [...textFact('publicKey', publicKey), ...(await shopFact(ctx, merchantId))]
}
const result = async (_ctx: Context, record: InstallationRecord) => ({ facts: presentInstallation(record) })

export const create = act('installation create', {
  merchantId: shop(),
  origins: lines({ flag: 'origin', placeholder: 'O' }),
  page: optionalUrl({ placeholder: 'U' }),
  returnUrl: optionalUrl({ placeholder: 'U' }),
  shopUrl: optionalUrl({ placeholder: 'U' }),
  provider: oneOfOrNone(PROVIDER_ROUTES, { flag: 'route', placeholder: 'R' }),
})({
  place: 'shop',
  current: working,
  blames: 'origins',
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    origins: ({ args }) => textFact('origin', args.origins.join(', ')),
    page: ({ args }) => textFact('page', args.page),
    returnUrl: ({ args }) => textFact('returnUrl', args.returnUrl),
    shopUrl: ({ args }) => textFact('shopUrl', args.shopUrl),
    provider: ({ args }) => textFact('route', args.provider),
  },
  run: (ctx, given) => createInstallation(ctx, given),
  async result(ctx, record, { provider }) {
    const warning = routeWarning(ctx, provider)
    const installPage = installPageUrl(ctx, record.publicKey)
    const facts = { ...presentInstallation(record), installPage, ...(warning && { warning }) }
    return { facts, said: { payLink: payUrl(ctx, record.publicKey, 'PRODUCT') } }
  },
  tells: ['publicKey', 'installationId', 'origins'],
  helpExamples: [
    '--merchant mer_01... --origin https://shop.example --origin https://www.shop.example',
    '--merchant mer_01... --origin https://shop.example --return-url https://shop.example/thanks',
    '--merchant mer_01... --page https://social.example/potter',
  ],
  examples: async ({ merchantId }) => [
    {
      merchantId,
      origins: ['https://one.example', 'https://two.example'],
      returnUrl: 'https://one.example/thanks',
    },
    { merchantId, origins: [], page: 'https://social.example/potter', provider: 'route_a' },
  ],
})

export const allow = act('installation allow', {
  installation: installation(),
  origin: origin(),
})({
  place: 'shop',
  current: working,
  notNow: unlessNone,
  choices: { installation: choicesOf },
  blames: 'origin',
  shows: {
    installation: ({ ctx, args }) => keyFacts(ctx, args.installation),
    async origin({ ctx, args }) {
      const { origins } = await getInstallation(ctx, args.installation)
      return textFact('origin', [...new Set([...origins, args.origin])].join(', '), origins.join(', '))
    },
  },
  run: (ctx, given) => allowOrigin(ctx, given.installation, given.origin),
  result,
  helpExamples: ['--installation ins_01... --origin https://www.shop.example'],
  examples: async (scene) => [{ installation: await scene.installation(), origin: 'https://three.example' }],
})

export const forbid = act('installation forbid', {
  installation: installation(),
  origin: origin(),
})({
  place: 'shop',
  current: working,
  notNow: unlessNone,
  choices: { installation: choicesOf },
  blames: 'origin',
  shows: {
    installation: ({ ctx, args }) => keyFacts(ctx, args.installation),
    async origin({ ctx, args }) {
      const { origins } = await getInstallation(ctx, args.installation)
      const left = origins.filter((each) => each !== args.origin)
      return textFact('origin', left.join(', '), origins.join(', '))
    },
  },
  run: (ctx, given) => forbidOrigin(ctx, given.installation, given.origin),
  result,
  helpExamples: ['--installation ins_01... --origin https://old.shop.example'],
  examples: async (scene) => [{ installation: await scene.installation(), origin: 'https://two.example' }],
})

export const setShop = act('installation shop', {
  installation: installation(),
  shopUrl: optionalUrl({ placeholder: 'U' }),
})({
  place: 'shop',
  current: working,
  notNow: unlessNone,
  choices: { installation: choicesOf },
  blames: 'shopUrl',
  shows: {
    installation: ({ ctx, args }) => keyFacts(ctx, args.installation),
    async shopUrl({ ctx, args: { installation: id, shopUrl } }) {
      const { shopUrl: before } = await getInstallation(ctx, id)
      return shopUrl === undefined ? wordFact('shopUrl', 'none') : textFact('shopUrl', shopUrl, before)
    },
  },
  run: (ctx, given) => setShopUrl(ctx, given.installation, given.shopUrl ?? null),
  result,
  helpExamples: ['--installation ins_01... --shop-url https://shop.example/tea', '--installation ins_01...'],
  examples: async (scene) => [
    { installation: await scene.installation(), shopUrl: 'https://one.example/tea' },
    { installation: await scene.installation() },
  ],
})

export const skipCheckout = act('installation checkout', {
  installation: installation(),
  skip: tick({}),
})({
  place: 'shop',
  current: working,
  notNow: unlessNone,
  choices: { installation: choicesOf },
  blames: 'installation',
  shows: {
    installation: ({ ctx, args }) => keyFacts(ctx, args.installation),
    skip: ({ args }) => wordFact('skipsCheckout', args.skip ? 'yes' : 'no'),
  },
  run: (ctx, given) => setCheckoutSkip(ctx, given.installation, given.skip),
  result,
  helpExamples: ['--installation ins_01... --skip', '--installation ins_01...'],
  examples: async (scene) => [
    { installation: await scene.installation(), skip: true },
    { installation: await scene.installation(), skip: false },
  ],
})

export const revoke = act('installation revoke', { installation: installation() })({
  place: 'shop',
  current: working,
  notNow: unlessNone,
  choices: { installation: choicesOf },
  blames: 'installation',
  shows: { installation: ({ ctx, args }) => keyFacts(ctx, args.installation) },
  run: (ctx, given) => revokeInstallation(ctx, given.installation),
  result,
  helpExamples: ['--installation ins_01...'],
  examples: async (scene) => [{ installation: await scene.installation() }],
})

export const INSTALLATION_ACTS: readonly AnyRow[] = [create, allow, forbid, setShop, skipCheckout, revoke]
