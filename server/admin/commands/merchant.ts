/** `merchant`: the merchants of this service. */
import type { Context } from '../../context.ts'
import { type InstallationRecord, installPageUrl } from '../../merchants/installation.ts'
import { getOnboarding } from '../../merchants/onboarding.ts'
import { copyMerchantToLive } from '../../operator/copy-merchant.ts'
import { presentReceiver } from '../../operator/event-history.ts'
import {
  getMerchantOverview,
  presentInstallation,
  presentMerchant,
  presentOnboarding,
  presentToken,
} from '../../operator/merchant-overview.ts'
import { type AccountStep, findAccountStep } from '../../operator/onboarding-account.ts'
import { presentProduct } from '../../operator/views/product.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { MERCHANT, requiredChoice } from '../flag.ts'
import { counted, moment, pairs, paragraphs } from '../layout.ts'
import { commandOf } from '../next-step.ts'
import { receiverText } from '../receiver-text.ts'

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show a merchant with everything that belongs to it',
  flags: { merchant: MERCHANT },
  examples: ['--merchant mer_01...'],
  async run(ctx, { merchant: id }) {
    const { merchant, origins, installations, products, tokens, receiver, onboarding } =
      await getMerchantOverview(ctx, id)
    const shown = {
      origins,
      installations: installations.map(presentInstallation),
      products: products.map((each) => presentProduct(ctx, each)),
      tokens: tokens.map(presentToken),
      receiver: presentReceiver(receiver),
      onboarding: presentOnboarding(onboarding),
    }
    const activeTokens = tokens.filter(({ revokedAt }) => !revokedAt).length
    const text = pairs([
      ['Merchant', merchant.id],
      ['Name', merchant.name],
      ['State', merchant.state],
      ['Since', merchant.stoppedAt && moment(merchant.stoppedAt)],
      ['Why', merchant.stoppedWhy],
      ['Created', moment(merchant.createdAt)],
      ['Callback URL', merchant.callbackUrl ?? 'none: its events are stored, but not sent'],
      ['Its state', merchant.callbackUrl && receiverText(receiver, ctx.clock.now())],
      ['Tokens', `${activeTokens} active, ${tokens.length - activeTokens} revoked`],
      ['Origins of /v1', origins.length > 0 ? origins : 'none: its back end sends no Origin header'],
      [
        'Products',
        shown.products.length > 0 ? shown.products.map(({ id, price }) => `${id}: ${price}`) : 'none',
      ],
      [
        'Installations',
        installations.length > 0 ? installations.flatMap((each) => aboutInstallation(ctx, each)) : 'none',
      ],
      ['Onboarding', onboarding.steps.map(({ title, done }) => `${done ? 'done' : 'open'}  ${title}`)],
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

const showOnboarding = verb({
  name: 'onboarding',
  needs: 'viewer',
  summary: 'Show which steps to a live token are done, and which are open',
  flags: { merchant: MERCHANT },
  examples: ['--merchant mer_01...'],
  async run(ctx, { merchant: merchantId }, { worlds }) {
    const { complete, steps } = await getOnboarding(ctx, merchantId)
    const account = await findAccountStep(worlds, merchantId)
    const worded = steps.map((each) => ({ ...each, next: each.next && commandOf(each.next) }))
    const blocks = worded.map(({ title, done, detail, next }) =>
      pairs([[done ? 'done' : 'open', [title, detail, ...(next ? [next] : [])]]]),
    )
    const text = paragraphs(
      ...blocks,
      account && accountText(account, merchantId),
      complete && paragraphs('Complete. Next, in a deployment with MODE=live:', goLive(merchantId)),
    )
    return {
      json: { merchantId, ...presentOnboarding({ complete, steps }), steps: worded, account },
      text,
    }
  },
})

function goLive(merchantId: string): string {
  return [
    `  ${ADMIN} merchant copy --merchant ${merchantId} --to live`,
    `  ${ADMIN} token issue --merchant ${merchantId} --live`,
  ].join('\n')
}

/** Two ways to an account: the merchant's own contract, or the deployment's. */
function accountText({ title, done, detail }: AccountStep, merchantId: string): string {
  const own = `The merchant's own contract: ${ADMIN} account set --live --merchant ${merchantId} --route route_a --driver DRIVER --set NAME=VALUE`
  const shared = `The deployment's contract: ${ADMIN} account allow --live --account ID --merchant ${merchantId}`
  return pairs([[done ? 'done' : 'open', [title, detail, ...(done ? [] : [own, shared])]]])
}

const copy = verb({
  name: 'copy',
  needs: 'operator',
  summary: 'Copy products, installations and routes to the live world',
  flags: { merchant: MERCHANT, to: requiredChoice('WORLD', 'where to', ['live']) },
  examples: ['--merchant mer_01... --to live'],
  async run(_ctx, { merchant: merchantId }, { worlds }) {
    const copied = await copyMerchantToLive(worlds, merchantId)
    const { products, kept, installations, routes, webhookSecret } = copied
    const text = paragraphs(
      `Copied: ${counted(products, 'product')}, ${counted(installations.length, 'installation')}, ${counted(routes.length, 'route')}.`,
      kept.length > 0 &&
        `Left as they are, because the live world has or had them: ${kept.join(', ')}. To change one: ${ADMIN} product set --live`,
      installations.length > 0 &&
        pairs(installations.map(({ origins, publicKey }) => [origins.join(', '), publicKey])),
      routes.length > 0 &&
        pairs(
          routes.map(({ route, label, ready }) => [route, ready ? label : `${label} (no account is ready)`]),
        ),
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
  summary: 'Create, brand, pause and show merchants, and take them live',
  verbs: [show, showOnboarding, copy],
}
