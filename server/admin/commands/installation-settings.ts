/** `installation settings`: prints what a site builder needs, as text, as JSON, or as an HTML page. */
import { BUTTON_LOOK, type ButtonChoice } from '../../channels/button.ts'
import { PLATFORMS, writeSnippet } from '../../channels/snippets.ts'
import { installPageUrl } from '../../merchants/installation.ts'
import { getChannel } from '../../operator/channel.ts'
import { verb } from '../command.ts'
import { optional, optionalChoice } from '../flag.ts'
import { settingsDocument } from '../installation-document.ts'
import { amount, pairs, paragraphs, table } from '../layout.ts'
import { INSTALLATION } from './installation-doctor.ts'

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
