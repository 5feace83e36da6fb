/** `installation`: a widget's public key, bound to exact origins. */
import { PROVIDER_ROUTES } from '../contract/fields.ts'
import { diagnoseOrigin } from '../merchants/diagnosis.ts'
import {
  createInstallation,
  getInstallation,
  type InstallationRecord,
  revokeInstallation,
} from '../merchants/installation.ts'
import { type Noun, verb } from './command.ts'
import { MERCHANT, optional, optionalChoice, required, several } from './flag.ts'
import { moment, pairs, paragraphs, plain } from './layout.ts'

const INSTALLATION = required('ID', "the installation's id (ins_...)")

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

const doctor = verb({
  name: 'doctor',
  summary: 'Say why a page on an origin is accepted or refused, and how to mend it',
  flags: {
    installation: INSTALLATION,
    origin: required('O', "the page's origin, as the browser's console or the server's log names it"),
  },
  examples: ['--installation ins_01... --origin https://www.shop.example'],
  async run(ctx, { installation: id, origin }) {
    const record = await getInstallation(ctx, id)
    const { allowed, findings, remedy } = diagnoseOrigin(record, origin)
    const { origins, revokedAt, publicKey } = record
    const json = {
      ...{ installationId: id, publicKey, origin, allowed, revoked: revokedAt !== null, origins, findings },
      fix: remedy && { advice: remedy.advice, commands: remedy.commands },
    }
    const verdict = `A page on ${origin} ${allowed ? 'may' : 'may not'} use ${publicKey}.`
    const noReturn = `The installation has no return URL, so the page must name one (return-url).`
    const text = plainParagraphs(
      [verdict, ...findings, allowed && record.returnUrl === null && noReturn].filter(
        (line) => line !== false,
      ),
    )
    if (!remedy) return { json, text }
    const commands = remedy.commands.map((command) => `\n  ${command}`).join('')
    const hint = plain(remedy.advice) + commands
    return { json, text, problem: { code: 'origin_not_trusted', message: verdict, hint } }
  },
})

function plainParagraphs(sentences: string[]): string {
  return sentences.map(plain).join('\n')
}

export const installation: Noun = {
  name: 'installation',
  summary: "A pay button's public key, and the pages that may use it",
  verbs: [create, show, revoke, doctor],
}
