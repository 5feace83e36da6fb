/** `address`: short addresses of products, to type from a poster. */
import type { Context } from '../../../context.ts'
import {
  addressUrl,
  approveAddress,
  askAddress,
  listAddresses,
  retireAddress,
  type ShortAddressRecord,
} from '../../../merchants/address.ts'
import { ADMIN, type Noun, shellWord, verb } from '../../command.ts'
import { MERCHANT, optional, required } from '../../flag.ts'
import { listText, moment, pairs, paragraphs } from '../../layout.ts'
import { INSTALLATION } from '../installation-doctor.ts'

const NAME = required('N', 'the name, such as mountain-tea')
const SENTENCES = {
  asked: 'The name waits for an approval. Nobody else can ask for it meanwhile.',
  approved: 'The address leads to the product within a second.',
  retired: 'The address leads nowhere, and no other merchant ever gets it.',
} as const

const ask = verb({
  name: 'ask',
  needs: 'operator',
  summary: 'Ask for a short address, or change where your own one leads',
  flags: {
    installation: INSTALLATION,
    product: required('P', "the product's id"),
    name: NAME,
  },
  examples: ['--installation ins_01... --product tea --name mountain-tea'],
  async run(ctx, { installation: installationId, product: productId, name }) {
    const record = await askAddress(ctx, { installationId, productId, name })
    const next = `If the name is the shop's own and misleads nobody, approve it: ${ADMIN} address approve --merchant ${record.merchantId} --name ${shellWord(record.name)}`
    return show(ctx, record, record.state === 'asked' && next)
  },
})

const approve = verb({
  name: 'approve',
  needs: 'operator',
  summary: 'Give a merchant the name for good, after you have checked it',
  flags: { merchant: MERCHANT, name: NAME },
  examples: ['--merchant mer_01... --name mountain-tea'],
  async run(ctx, { merchant: merchantId, name }) {
    return show(ctx, await approveAddress(ctx, { merchantId, name }))
  },
})

const retire = verb({
  name: 'retire',
  needs: 'operator',
  summary: 'End a short address, or refuse one that was only asked for',
  flags: { merchant: MERCHANT, name: NAME },
  examples: ['--merchant mer_01... --name mountain-tea'],
  async run(ctx, { merchant: merchantId, name }) {
    const record = await retireAddress(ctx, { merchantId, name })
    if (record) return show(ctx, record)
    const text = 'The name was never approved. It is free again.'
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
      `There is no short address. A shop's poster is easier to use with one: ${ADMIN} address ask --help`,
    )
    return { json: { addresses: addresses.map((each) => present(ctx, each)) }, text }
  },
})

function present(ctx: Context, { folded: _, ...record }: ShortAddressRecord) {
  return { ...record, url: addressUrl(ctx, record.name) }
}

function show(ctx: Context, record: ShortAddressRecord, next: string | false = false) {
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
  return { json: present(ctx, record), text: paragraphs(SENTENCES[state], rows, next) }
}

export const address: Noun = {
  name: 'address',
  summary: 'Give products short addresses that buyers can type from a poster',
  verbs: [ask, approve, retire, list],
}
