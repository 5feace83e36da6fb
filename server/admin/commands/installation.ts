/** `installation`: a pay button's public key, and the exact origins that may use it. */
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
import { listProducts } from '../../merchants/product.ts'
import { presentInstallation } from '../../operator/merchant-overview.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { MERCHANT, optional, optionalChoice, repeatable, required, toggle } from '../flag.ts'
import { listText, moment, pairs, paragraphs } from '../layout.ts'
import { doctor, INSTALLATION } from './installation-doctor.ts'
import { settings } from './installation-settings.ts'
import { routeWarning } from './route.ts'

function lines(ctx: Context, record: InstallationRecord): string {
  const { publicKey } = record
  return pairs([
    ['Installation', record.id],
    ['Public key', publicKey],
    ['Install page', record.revokedAt ? null : installPageUrl(ctx, publicKey)],
    ['Pay link', record.revokedAt ? null : payUrl(ctx, publicKey, 'PRODUCT')],
    ['Origins', record.origins.length > 0 ? record.origins : 'none: only our own pay page'],
    ['Return URL', record.returnUrl ?? 'none: each page sets its own'],
    ['Shop URL', record.shopUrl ?? 'the start page of the site with the button'],
    [
      'Our page',
      record.skipsCheckout ? 'skipped after the button, where it has nothing to ask or to say' : 'shown',
    ],
    ['Route', record.provider ?? 'the default'],
    ['Merchant', record.merchantId],
    ['Created', moment(record.createdAt)],
    ['Revoked', record.revokedAt && moment(record.revokedAt)],
  ])
}

const create = verb({
  name: 'create',
  needs: 'operator',
  summary: 'Create a public key for pages on these origins, or for links',
  flags: {
    merchant: MERCHANT,
    origin: repeatable('O', 'an origin of the pages, such as https://shop.example; repeat it for several'),
    page: optional('U', 'without an origin, for links and posters alone: the public page of the shop'),
    returnUrl: optional('U', 'the address where buyers return, for pages that set none'),
    shopUrl: optional('U', 'the address behind Back to the shop, for buyers who have not paid'),
    route: optionalChoice('R', 'the provider route, for products that set none', PROVIDER_ROUTES),
  },
  examples: [
    '--merchant mer_01... --origin https://shop.example --origin https://www.shop.example',
    '--merchant mer_01... --origin https://shop.example --return-url https://shop.example/thanks',
    '--merchant mer_01... --page https://social.example/potter',
  ],
  async run(ctx, { merchant: merchantId, origin: origins, page, returnUrl, shopUrl, route: provider }) {
    const given = { merchantId, origins, page, returnUrl, shopUrl, provider }
    const record = await createInstallation(ctx, given)
    const installPage = installPageUrl(ctx, record.publicKey)
    const sellsNothing = (await listProducts(ctx, merchantId)).length === 0
    const warning = routeWarning(ctx, provider)
    return {
      json: { ...presentInstallation(record), installPage, ...(warning && { warning }) },
      text: paragraphs(
        'Created the installation.',
        lines(ctx, record),
        warning,
        sellsNothing && `First add a product to sell: ${ADMIN} product set --merchant ${merchantId} --help`,
        `Next, open the install page. It shows the button, and the text to paste for each kind of site.\n  ${installPage}`,
      ),
    }
  },
})

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show an installation with its public key and origins',
  flags: { installation: INSTALLATION },
  examples: ['--installation ins_01...'],
  async run(ctx, { installation: id }) {
    const record = await getInstallation(ctx, id)
    return { json: presentInstallation(record), text: lines(ctx, record) }
  },
})

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: "List a merchant's installations, oldest first",
  flags: { merchant: MERCHANT },
  examples: ['--merchant mer_01...'],
  async run(ctx, { merchant: merchantId }) {
    const installations = await listInstallations(ctx, merchantId)
    const rows = installations.map(({ id, publicKey, origins, revokedAt }) => [
      id,
      publicKey,
      revokedAt ? `revoked ${moment(revokedAt)}` : 'active',
      origins.join(', '),
    ])
    const text = listText(
      ['Installation', 'Public key', 'State', 'Origins'],
      rows,
      `The merchant has no installation. Create one: ${ADMIN} installation create --merchant ${merchantId} --origin https://shop.example`,
    )
    return { json: { merchantId, installations: installations.map(presentInstallation) }, text }
  },
})

/** Shows the installation after a change. */
const changed = (ctx: Context, record: InstallationRecord, sentence: string) => ({
  json: presentInstallation(record),
  text: paragraphs(sentence, lines(ctx, record)),
})

const ORIGIN = required('O', 'scheme, host and port, such as https://shop.example')

const allow = verb({
  name: 'allow',
  needs: 'operator',
  summary: 'Allow pages on one more origin to use the public key',
  flags: { installation: INSTALLATION, origin: ORIGIN },
  examples: ['--installation ins_01... --origin https://www.shop.example'],
  async run(ctx, { installation: id, origin }) {
    return changed(
      ctx,
      await allowOrigin(ctx, id, origin),
      `Pages on ${origin} can use the public key within a second.`,
    )
  },
})

const forbid = verb({
  name: 'forbid',
  needs: 'operator',
  summary: 'Stop pages on an origin from using the public key',
  flags: { installation: INSTALLATION, origin: ORIGIN },
  examples: ['--installation ins_01... --origin https://old.shop.example'],
  async run(ctx, { installation: id, origin }) {
    return changed(
      ctx,
      await forbidOrigin(ctx, id, origin),
      `Pages on ${origin} are rejected. Payments that have started continue.`,
    )
  },
})

const shop = verb({
  name: 'shop',
  needs: 'operator',
  summary: 'Set where Back to the shop leads, or remove it',
  flags: {
    installation: INSTALLATION,
    shopUrl: optional(
      'U',
      'the address, such as https://shop.example/tea; leave it out to return to the default',
    ),
  },
  examples: ['--installation ins_01... --shop-url https://shop.example/tea', '--installation ins_01...'],
  async run(ctx, { installation: id, shopUrl = null }) {
    return changed(
      ctx,
      await setShopUrl(ctx, id, shopUrl),
      'Payments that begin from now on lead back there, within a second.',
    )
  },
})

const checkout = verb({
  name: 'checkout',
  needs: 'operator',
  summary: 'Set whether the button leads past our page to the provider',
  flags: {
    installation: INSTALLATION,
    skip: toggle('skip our page where it has nothing to ask or to say; without this flag it is always shown'),
  },
  examples: ['--installation ins_01... --skip', '--installation ins_01...'],
  async run(ctx, { installation: id, skip: skips }) {
    const record = await setCheckoutSkip(ctx, id, skips)
    const sentence = skips
      ? 'Within a second the button leads straight to the provider, where our page has nothing to ask or to say.'
      : 'Within a second the button leads to our page again.'
    return changed(ctx, record, sentence)
  },
})

const revoke = verb({
  name: 'revoke',
  needs: 'operator',
  summary: 'Revoke a public key for good',
  flags: { installation: INSTALLATION },
  examples: ['--installation ins_01...'],
  async run(ctx, { installation: id }) {
    const record = await revokeInstallation(ctx, id)
    const sentence = 'Pages with this public key are rejected. Payments that have started continue.'
    return changed(ctx, record, sentence)
  },
})

export const installation: Noun = {
  name: 'installation',
  summary: 'Create, show and check the public keys of pay buttons',
  verbs: [create, list, show, allow, forbid, shop, checkout, revoke, doctor, settings],
}
