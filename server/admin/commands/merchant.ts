/** `merchant`: who is paid. */
import type { Context } from '../../context.ts'
import { listTokens } from '../../merchants/api-key.ts'
import { type InstallationRecord, listInstallations } from '../../merchants/installation.ts'
import { getMerchant, listMerchants } from '../../merchants/merchant.ts'
import { getOnboarding } from '../../merchants/onboarding.ts'
import { listOrigins } from '../../merchants/origin.ts'
import { listProducts } from '../../merchants/product.ts'
import { copyMerchantToLive } from '../../operator/copy-merchant.ts'
import { createMerchant } from '../../operator/create-merchant.ts'
import { findReceiverOf } from '../../receivers/receiver.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { MERCHANT, optional, required, requiredChoice } from '../flag.ts'
import { installPageUrl } from '../install-page.ts'
import { counted, moment, pairs, paragraphs, table } from '../layout.ts'
import { presentReceiver, receiverText } from '../receiver-text.ts'
import { presentInstallation } from './installation.ts'
import { presentProduct } from './product.ts'
import { presentToken } from './token.ts'

type Merchant = Awaited<ReturnType<typeof getMerchant>>

function presentMerchant({ id, name, callbackUrl, createdAt }: Merchant) {
  return { merchantId: id, name, callbackUrl, createdAt }
}

const create = verb({
  name: 'create',
  summary: 'Make a merchant; prints the secret that signs its events, once',
  flags: {
    name: required('N', 'what buyers see as the name of the shop'),
    callbackUrl: optional('U', 'where its events are sent (https; can be set later)'),
  },
  examples: ['--name "My shop"', '--name "My shop" --callback-url https://shop.example/kassa/callback'],
  async run(ctx, { name, callbackUrl }) {
    const { merchantId, webhookSecret } = await createMerchant(ctx, { name, callbackUrl })
    const text = paragraphs(
      'The merchant is made.',
      pairs([
        ['Merchant', merchantId],
        ['Name', name],
        ['Callback URL', callbackUrl ?? 'none yet'],
        ['Callback secret', webhookSecret],
      ]),
      'The secret checks the signature of events. It is shown only now: put it into the shop.',
      [
        'Next, where a back end creates the payments, a token for it:',
        `  ${ADMIN} token issue --merchant ${merchantId}`,
        'Or, where a pay button on a page is enough, something to sell and a public key:',
        `  ${ADMIN} product set --merchant ${merchantId} --id tea --name Tea --amount 15.00 --currency USD`,
        `  ${ADMIN} installation create --merchant ${merchantId} --origin https://shop.example`,
      ].join('\n'),
    )
    return { json: { merchantId, webhookSecret }, text }
  },
})

const show = verb({
  name: 'show',
  summary: 'One merchant with its origins, installations, products and tokens',
  flags: { merchant: MERCHANT },
  examples: ['--merchant mer_01...'],
  async run(ctx, { merchant: id }) {
    const merchant = await getMerchant(ctx, id)
    const [origins, installations, products, tokens, receiver] = await Promise.all([
      listOrigins(ctx, id),
      listInstallations(ctx, id),
      listProducts(ctx, id),
      listTokens(ctx, id),
      findReceiverOf(ctx, id),
    ])
    const shown = {
      origins,
      installations: installations.map(presentInstallation),
      products: products.map(presentProduct),
      tokens: tokens.map(presentToken),
      receiver: presentReceiver(receiver),
    }
    const activeTokens = tokens.filter(({ revokedAt }) => !revokedAt).length
    const text = pairs([
      ['Merchant', merchant.id],
      ['Name', merchant.name],
      ['Made', moment(merchant.createdAt)],
      ['Callback URL', merchant.callbackUrl ?? 'none: its events are kept, but not sent'],
      ['Its state', merchant.callbackUrl && receiverText(receiver, ctx.clock.now())],
      ['Tokens', `${activeTokens} active, ${tokens.length - activeTokens} revoked`],
      [
        'Origins of /v1',
        origins.length > 0 ? origins : 'none: calls come from a back end, without an Origin header',
      ],
      [
        'Products',
        shown.products.length > 0 ? shown.products.map(({ id, price }) => `${id}: ${price}`) : 'none',
      ],
      [
        'Installations',
        installations.length > 0 ? installations.flatMap((each) => aboutInstallation(ctx, each)) : 'none',
      ],
    ])
    return { json: { ...presentMerchant(merchant), ...shown }, text }
  },
})

function aboutInstallation(
  ctx: Context,
  { id, publicKey, origins, revokedAt }: InstallationRecord,
): string[] {
  if (revokedAt) return [`${id}  ${publicKey}  revoked`]
  return [`${id}  ${publicKey}  ${origins.join(', ')}`, `  ${installPageUrl(ctx, publicKey)}`]
}

const list = verb({
  name: 'list',
  summary: 'Every merchant, oldest first',
  flags: {},
  examples: [''],
  async run(ctx) {
    const merchants = await listMerchants(ctx)
    const rows = merchants.map(({ id, name, callbackUrl }) => [id, name, callbackUrl ?? 'no callback URL'])
    const text =
      merchants.length > 0
        ? paragraphs(table(['Merchant', 'Name', 'Callback URL'], rows), counted(merchants.length, 'merchant'))
        : `There is no merchant yet. Make one: ${ADMIN} merchant create --name "My shop"`
    return { json: { merchants: merchants.map(presentMerchant) }, text }
  },
})

const onboarding = verb({
  name: 'onboarding',
  summary: 'The steps to a token for real money: done and open',
  flags: { merchant: MERCHANT },
  examples: ['--merchant mer_01...'],
  async run(ctx, { merchant: merchantId }) {
    const { complete, steps } = await getOnboarding(ctx, merchantId)
    const blocks = steps.map(({ title, done, detail, next }) =>
      pairs([[done ? 'done' : 'open', [title, detail, ...(next ? [next] : [])]]]),
    )
    const text = paragraphs(
      ...blocks,
      complete && `Complete. A live token: ${ADMIN} token issue --merchant ${merchantId} --live`,
    )
    const names = (done: boolean) => steps.filter((each) => each.done === done).map(({ step }) => step)
    return { json: { merchantId, complete, done: names(true), open: names(false), steps }, text }
  },
})

const copy = verb({
  name: 'copy',
  summary:
    "Copy a merchant's products and installations from the sandbox to the live world, with new public keys",
  flags: { merchant: MERCHANT, to: requiredChoice('WORLD', 'where to', ['live']) },
  examples: ['--merchant mer_01... --to live'],
  async run(_ctx, { merchant: merchantId }, { worlds }) {
    const copied = await copyMerchantToLive(worlds, merchantId)
    const { products, installations, webhookSecret } = copied
    const text = paragraphs(
      `Copied: ${counted(products, 'product')}, ${counted(installations.length, 'installation')}.`,
      installations.length > 0 &&
        pairs(installations.map(({ origins, publicKey }) => [origins.join(', '), publicKey])),
      webhookSecret && pairs([['Callback secret', `${webhookSecret} (shown only now)`]]),
      [
        'Next, in the live world:',
        `  ${ADMIN} callback set --merchant ${merchantId} --url https://shop.example/kassa/callback --live`,
        `  ${ADMIN} token issue --merchant ${merchantId} --live`,
      ].join('\n'),
    )
    return { json: { merchantId, ...copied }, text }
  },
})

export const merchant: Noun = {
  name: 'merchant',
  summary: 'Who is paid',
  verbs: [create, show, list, onboarding, copy],
}
