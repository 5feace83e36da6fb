/** `address`: the short addresses that were approved before. New ones are not given out. */
import type { Context } from '../../../context.ts'
import {
  addressUrl,
  listAddresses,
  retireAddress,
  type ShortAddressRecord,
} from '../../../merchants/address.ts'
import { type Noun, verb } from '../../command.ts'
import { MERCHANT, optional, required } from '../../flag.ts'
import { listText, moment, pairs, paragraphs } from '../../layout.ts'

const SENTENCES = {
  asked: 'The name was never approved, and leads nowhere.',
  approved: 'The address leads to the product.',
  retired: 'The address leads nowhere, and no other merchant ever gets it.',
} as const

const retire = verb({
  name: 'retire',
  needs: 'operator',
  summary: 'End a short address',
  flags: { merchant: MERCHANT, name: required('N', 'the name, such as mountain-tea') },
  examples: ['--merchant mer_01... --name mountain-tea'],
  async run(ctx, { merchant: merchantId, name }) {
    const record = await retireAddress(ctx, { merchantId, name })
    if (record) return show(ctx, record)
    const text = 'The name was never approved. It is deleted.'
    return { json: { merchantId, name, state: 'free' }, text }
  },
})

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List short addresses, of one merchant or of all',
  flags: { merchant: optional('ID', "the merchant's id (mer_...)") },
  examples: ['', '--merchant mer_01...'],
  async run(ctx, { merchant: merchantId }) {
    const addresses = await listAddresses(ctx, merchantId)
    const rows = addresses.map(({ name, state, productId, merchantId: owner }) => [
      addressUrl(ctx, name),
      state,
      productId,
      owner,
    ])
    const text = listText(
      ['Address', 'State', 'Product', 'Merchant'],
      rows,
      'There is no short address. Posters have a QR code, and links can be copied.',
    )
    return { json: { addresses: addresses.map((each) => present(ctx, each)) }, text }
  },
})

function present(ctx: Context, { folded: _, ...record }: ShortAddressRecord) {
  return { ...record, url: addressUrl(ctx, record.name) }
}

function show(ctx: Context, record: ShortAddressRecord) {
  const { name, merchantId, installationId, productId, state, askedAt, approvedAt, retiredAt } = record
  const rows = pairs([
    ['Address', addressUrl(ctx, name)],
    ['Merchant', merchantId],
    ['Installation', installationId],
    ['Product', productId],
    ['Asked for', moment(askedAt)],
    ['First approved', approvedAt && moment(approvedAt)],
    ['Retired', retiredAt && moment(retiredAt)],
  ])
  return { json: present(ctx, record), text: paragraphs(SENTENCES[state], rows) }
}

export const address: Noun = {
  name: 'address',
  summary: 'List and end the short addresses of products',
  verbs: [retire, list],
}
