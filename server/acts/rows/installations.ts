/** The acts on the public keys of a shop's pay buttons, and on the pages that may use each. */
import { payUrl } from '../../channels/settings.ts'
import type { Context } from '../../context.ts'
import { PROVIDER_ROUTES } from '../../contract/fields.ts'
import { setCheckoutSkip } from '../../merchants/checkout-skip.ts'
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
} from '../../merchants/installation.ts'
import { ORIGIN_MAX_CHARS } from '../../merchants/origin.ts'
import {
  type Fact,
  type FactScene,
  shopFact,
  textFact,
  textOrNone,
  yesOrNo,
} from '../../operator/approvals/facts.ts'
import { presentInstallation } from '../../operator/merchant-overview.ts'
import { routeWarning } from '../../operator/routes.ts'
import { type AnyRow, act } from '../act.ts'
import { choice, lines, oneOfOrNone, optionalUrl, shop, tick, url } from '../input.ts'

/** A choice is cut on a phone, and the end of a key tells it from others. */
const END_CHARS = 8

type Current = { keys: InstallationRecord[] }

/** Returns the keys that are not revoked, the newest first. */
const working = async (ctx: Context, merchantId: string): Promise<Current> => ({
  keys: (await listInstallations(ctx, merchantId)).filter(({ revokedAt }) => !revokedAt).toReversed(),
})
const unlessNone = ({ keys }: Current) => (keys.length > 0 ? null : 'acts.installation.none')
const choicesOf = ({ keys }: Current) =>
  keys.map(({ id, publicKey, origins, shopUrl }) => ({
    id,
    text: `${origins.join(', ') || (shopUrl ?? '')} · …${publicKey.slice(-END_CHARS)}`,
  }))

const installation = () => choice({ placeholder: 'ID' })

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
    return { facts, textValues: { payLink: payUrl(ctx, record.publicKey, 'PRODUCT') } }
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

/** The acts on a key that the shop has. */
const onKey = {
  place: 'shop',
  current: working,
  notNow: unlessNone,
  choices: { installation: choicesOf },
  result,
} as const
const showsKey = ({ ctx, args }: FactScene<{ installation: string }>) => keyFacts(ctx, args.installation)

const ON_ORIGIN = {
  installation: installation(),
  origin: url({ placeholder: 'O', max: ORIGIN_MAX_CHARS }),
}
/** `change`: the origins as the act leaves them. */
const onOrigin = (change: (origins: string[], origin: string) => string[]) =>
  ({
    ...onKey,
    blames: 'origin',
    shows: {
      installation: showsKey,
      async origin({ ctx, args }: FactScene<{ installation: string; origin: string }>) {
        const { origins } = await getInstallation(ctx, args.installation)
        return textFact('origin', change(origins, args.origin).join(', '), origins.join(', '))
      },
    },
    helpExamples: ['--installation ins_01... --origin https://www.shop.example'],
  }) as const

export const allow = act(
  'installation allow',
  ON_ORIGIN,
)({
  ...onOrigin((origins, origin) => [...new Set([...origins, origin])]),
  run: (ctx, given) => allowOrigin(ctx, given.installation, given.origin),
  examples: async (scene) => [{ installation: await scene.installation(), origin: 'https://three.example' }],
})

export const forbid = act(
  'installation forbid',
  ON_ORIGIN,
)({
  ...onOrigin((origins, origin) => origins.filter((each) => each !== origin)),
  run: (ctx, given) => forbidOrigin(ctx, given.installation, given.origin),
  examples: async (scene) => [{ installation: await scene.installation(), origin: 'https://two.example' }],
})

export const setShop = act('installation shop', {
  installation: installation(),
  shopUrl: optionalUrl({ placeholder: 'U' }),
})({
  ...onKey,
  blames: 'shopUrl',
  shows: {
    installation: showsKey,
    async shopUrl({ ctx, args }) {
      const { shopUrl: before } = await getInstallation(ctx, args.installation)
      return [{ name: 'shopUrl', after: textOrNone(args.shopUrl), before: textOrNone(before) }]
    },
  },
  run: (ctx, given) => setShopUrl(ctx, given.installation, given.shopUrl ?? null),
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
  ...onKey,
  blames: 'installation',
  shows: {
    installation: showsKey,
    async skip({ ctx, args }) {
      const { skipsCheckout } = await getInstallation(ctx, args.installation)
      return [{ name: 'skipsCheckout', after: yesOrNo(args.skip === true), before: yesOrNo(skipsCheckout) }]
    },
  },
  run: (ctx, { installation: id, skip = false }) => setCheckoutSkip(ctx, id, skip),
  helpExamples: ['--installation ins_01... --skip', '--installation ins_01...'],
  examples: async (scene) => [
    { installation: await scene.installation(), skip: true },
    { installation: await scene.installation(), skip: false },
  ],
})

export const revoke = act('installation revoke', { installation: installation() })({
  ...onKey,
  blames: 'installation',
  shows: { installation: showsKey },
  run: (ctx, given) => revokeInstallation(ctx, given.installation),
  helpExamples: ['--installation ins_01...'],
  examples: async (scene) => [{ installation: await scene.installation() }],
})

export const INSTALLATION_ACTS: readonly AnyRow[] = [create, allow, forbid, setShop, skipCheckout, revoke]
