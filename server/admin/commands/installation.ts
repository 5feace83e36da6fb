/** `installation`: a pay button's public key, and the exact origins that may use it. */

import { BUTTON_LOOK, type ButtonChoice } from '../../channels/button.ts'
import { payUrl } from '../../channels/settings.ts'
import { PLATFORMS, writeSnippet } from '../../channels/snippets.ts'
import type { Context } from '../../context.ts'
import { getInstallation, type InstallationRecord, installPageUrl } from '../../merchants/installation.ts'
import { getChannel } from '../../operator/channel.ts'
import { presentInstallation } from '../../operator/merchant-overview.ts'
import { type Noun, verb } from '../command.ts'
import { optional, optionalChoice } from '../flag.ts'
import { settingsDocument } from '../installation-document.ts'
import { amount, moment, pairs, paragraphs, table } from '../layout.ts'
import { doctor, INSTALLATION } from './installation-doctor.ts'

export const settings = verb({
  name: 'settings',
  needs: 'viewer',
  summary: 'Print the settings that a site builder needs; none is secret',
  flags: {
    installation: INSTALLATION,
    product: optional('P', 'the product of the snippets; default the first one'),
    format: optionalChoice('F', 'the format to print instead of text', ['json', 'html']),
  },
  examples: ['--installation ins_01...', '--installation ins_01... --format html'],
  async run(ctx, { installation: id, product: productId, format }) {
    const { channel } = await getChannel(ctx, id)
    const products = channel.products.map((product) => ({
      ...product,
      price: product.isAmountChosen ? 'chosen by the buyer' : amount(product.amountMinor, product.currency),
    }))
    const product =
      products.find((each) => each.id === productId) ?? products.find((each) => !each.isAmountChosen)
    const choice: ButtonChoice | null =
      product && !product.isAmountChosen
        ? { ...BUTTON_LOOK, product, price: product.price, label: null, locale: null, isPinned: true }
        : null
    const snippets = choice
      ? PLATFORMS.map((platform) => ({ platform, code: writeSnippet(platform, channel, choice) }))
      : []
    const installPage = installPageUrl(ctx, channel.publicKey)
    const json = { ...channel, products, installPage, snippets, snippetsFor: product?.id ?? null }
    if (format === 'json') return { json, text: JSON.stringify(json, null, 2) }
    if (format === 'html') {
      const html = settingsDocument(json)
      return { json: { ...json, html }, text: html }
    }
    const { script, origins, returnUrl, policy, publicKey } = channel
    const facts = pairs([
      ['Install page', installPage],
      ['Public key', publicKey],
      ['Script, pinned', script.pinned?.scriptUrl],
      ['Integrity', script.pinned?.integrity],
      ['Script, moving', script.moving],
      ['Allowed origins', origins],
      ['Return URL', returnUrl ?? 'none: each page sets its own'],
      ['Policy', Object.entries(policy).map(([directive, source]) => `${directive} ${source}`)],
    ])
    const rows = products.map((each) => [each.id, each.name, each.price, each.payUrl])
    const listed = rows.length > 0 && table(['Product', 'Name', 'Price', 'Pay link'], rows)
    const snippet = snippets[0] && `Text to paste (the install page has more):\n\n${snippets[0].code}`
    return { json, text: paragraphs('Nothing here is secret.', facts, listed, snippet) }
  },
})

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

export const installation: Noun = {
  name: 'installation',
  summary: 'Create, show and check the public keys of pay buttons',
  verbs: [show, doctor, settings],
}
