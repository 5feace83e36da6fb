/** `installation`: a widget's public key, bound to exact origins. */
import { PROVIDER_ROUTES } from '../contract/fields.ts'
import {
  allowOrigin,
  createInstallation,
  forbidOrigin,
  getInstallation,
  type InstallationRecord,
  revokeInstallation,
} from '../merchants/installation.ts'
import { type Noun, verb } from './command.ts'
import { MERCHANT, optional, optionalChoice, required, several } from './flag.ts'
import { doctor, INSTALLATION } from './installation-doctor.ts'
import { settings } from './installation-settings.ts'
import { moment, pairs, paragraphs } from './layout.ts'

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

function lines(record: InstallationRecord): string {
  return pairs([
    ['Installation', record.id],
    ['Public key', record.publicKey],
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
    const next = 'Put the public key into the page: <kassa-pay public-key="..." product-id="...">'
    return {
      json: presentInstallation(record),
      text: paragraphs('The installation is made.', lines(record), next),
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
    return { json: presentInstallation(record), text: lines(record) }
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
    return { json: presentInstallation(record), text: paragraphs(sentence, lines(record)) }
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
    return { json: presentInstallation(record), text: paragraphs(sentence, lines(record)) }
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
    return { json: presentInstallation(record), text: paragraphs(sentence, lines(record)) }
  },
})

export const installation: Noun = {
  name: 'installation',
  summary: "A pay button's public key, and the pages that may use it",
  verbs: [create, show, allow, forbid, revoke, doctor, settings],
}
