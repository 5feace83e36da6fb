/** `installation`: a widget's public key, bound to exact origins. */
import type { Context } from '../../context.ts'
import { PROVIDER_ROUTES } from '../../contract/fields.ts'
import {
  allowOrigin,
  createInstallation,
  forbidOrigin,
  getInstallation,
  type InstallationRecord,
  listInstallations,
  revokeInstallation,
} from '../../merchants/installation.ts'
import { listProducts } from '../../merchants/product.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { MERCHANT, optional, optionalChoice, required, several } from '../flag.ts'
import { installPageUrl, payLinkPattern } from '../install-page.ts'
import { moment, pairs, paragraphs, table } from '../layout.ts'
import { doctor, INSTALLATION } from './installation-doctor.ts'
import { settings } from './installation-settings.ts'
import { routeWarning } from './route.ts'

/** The public key stands in every page that uses it: it is no secret. */
export function presentInstallation(record: InstallationRecord) {
  const { id, merchantId, publicKey, origins, returnUrl, provider, createdAt, revokedAt } = record
  return {
    installationId: id,
    merchantId,
    publicKey,
    origins,
    returnUrl,
    route: provider,
    createdAt,
    revokedAt,
  }
}

function lines(ctx: Context, record: InstallationRecord): string {
  const { publicKey } = record
  return pairs([
    ['Installation', record.id],
    ['Public key', publicKey],
    ['Install page', record.revokedAt ? null : installPageUrl(ctx, publicKey)],
    ['Pay link', record.revokedAt ? null : payLinkPattern(ctx, publicKey)],
    ['Origins', record.origins],
    ['Return URL', record.returnUrl ?? 'none: each page names its own'],
    ['Route', record.provider ?? 'the default'],
    ['Merchant', record.merchantId],
    ['Made', moment(record.createdAt)],
    ['Revoked', record.revokedAt && moment(record.revokedAt)],
  ])
}

const create = verb({
  name: 'create',
  summary: 'Make a public key for pages on exactly these origins',
  flags: {
    merchant: MERCHANT,
    origin: several('O', 'where the pages are, such as https://shop.example; may be given several times'),
    returnUrl: optional('U', 'where buyers come back to, for pages that name no address'),
    route: optionalChoice('R', 'the provider route of products that name none', PROVIDER_ROUTES),
  },
  examples: [
    '--merchant mer_01... --origin https://shop.example --origin https://www.shop.example',
    '--merchant mer_01... --origin https://shop.example --return-url https://shop.example/thanks',
  ],
  async run(ctx, { merchant: merchantId, origin: origins, returnUrl, route: provider }) {
    const record = await createInstallation(ctx, { merchantId, origins, returnUrl, provider })
    const installPage = installPageUrl(ctx, record.publicKey)
    const sellsNothing = (await listProducts(ctx, merchantId)).length === 0
    const warning = routeWarning(ctx, provider)
    return {
      json: { ...presentInstallation(record), installPage, ...(warning && { warning }) },
      text: paragraphs(
        'The installation is made.',
        lines(ctx, record),
        warning,
        sellsNothing && `First, something to sell: ${ADMIN} product set --merchant ${merchantId} --help`,
        `Next, open the install page: it shows the button, and has the text to paste for each kind of site.\n  ${installPage}`,
      ),
    }
  },
})

const show = verb({
  name: 'show',
  summary: 'One installation with its public key and origins',
  flags: { installation: INSTALLATION },
  examples: ['--installation ins_01...'],
  async run(ctx, { installation: id }) {
    const record = await getInstallation(ctx, id)
    return { json: presentInstallation(record), text: lines(ctx, record) }
  },
})

const list = verb({
  name: 'list',
  summary: "A merchant's installations, oldest first, the revoked ones too",
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
    const text =
      rows.length > 0
        ? table(['Installation', 'Public key', 'State', 'Origins'], rows)
        : `The merchant has none. Make one: ${ADMIN} installation create --merchant ${merchantId} --origin https://shop.example`
    return { json: { merchantId, installations: installations.map(presentInstallation) }, text }
  },
})

const ORIGIN = required('O', 'scheme, host and port, such as https://shop.example')

const allow = verb({
  name: 'allow',
  summary: 'Let pages on a further origin use the public key, within a second everywhere',
  flags: { installation: INSTALLATION, origin: ORIGIN },
  examples: ['--installation ins_01... --origin https://www.shop.example'],
  async run(ctx, { installation: id, origin }) {
    const record = await allowOrigin(ctx, id, origin)
    const sentence = `Pages on ${origin} may use the public key within a second.`
    return { json: presentInstallation(record), text: paragraphs(sentence, lines(ctx, record)) }
  },
})

const forbid = verb({
  name: 'forbid',
  summary: 'Let pages on an origin use the public key no longer, within a second everywhere',
  flags: { installation: INSTALLATION, origin: ORIGIN },
  examples: ['--installation ins_01... --origin https://old.shop.example'],
  async run(ctx, { installation: id, origin }) {
    const record = await forbidOrigin(ctx, id, origin)
    const sentence = `Pages on ${origin} are refused within a second. Payments that were begun go on.`
    return { json: presentInstallation(record), text: paragraphs(sentence, lines(ctx, record)) }
  },
})

const revoke = verb({
  name: 'revoke',
  summary: 'End the use of a public key for good, within a second everywhere',
  flags: { installation: INSTALLATION },
  examples: ['--installation ins_01...'],
  async run(ctx, { installation: id }) {
    const record = await revokeInstallation(ctx, id)
    const sentence = 'Pages with this public key are refused within a second. Payments that were begun go on.'
    return { json: presentInstallation(record), text: paragraphs(sentence, lines(ctx, record)) }
  },
})

export const installation: Noun = {
  name: 'installation',
  summary: "A pay button's public key, and the pages that may use it",
  verbs: [create, list, show, allow, forbid, revoke, doctor, settings],
}
