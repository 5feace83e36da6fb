/**
 * What a key may do at Stripe, one by one. A restricted key lacks permissions, and Stripe has no list of them. So each request that the
 * driver will make is sent without what it needs: Stripe rejects it because of its parameters if the key may make it, and with 403 if it
 * may not. Nothing is created either way.
 * Assumption: Stripe looks at the permissions first. The guide says where this is known from.
 */
import type Stripe from 'stripe'
import { type Finding, ok, problem, unknown } from '../driver/finding.ts'
import { AccountRefusedError } from '../driver/refusal.ts'
import { askStripe, refusalOf, type StripeCall } from './client.ts'

/** `may`: what the key may do, as a verb. `needs`: the permissions, as Stripe's Dashboard names them. */
type Probe = Pick<Finding, 'right'> & {
  may: string
  needs: string
  send: ((stripe: Stripe) => Promise<unknown>)[]
}

/** No object has these ids. */
const INTENT = 'pi_kassa_account_test'
const METHOD = 'pm_kassa_account_test'
const ONE = { limit: 1 }

const PROBES: readonly Probe[] = [
  {
    right: 'payment',
    may: 'create payments',
    needs: 'Checkout Sessions: write',
    send: [(stripe) => stripe.checkout.sessions.create({ mode: 'payment' })],
  },
  {
    may: 'read payments',
    needs: 'Checkout Sessions, PaymentIntents, Charges and refunds: read',
    send: [
      (stripe) => stripe.checkout.sessions.list(ONE),
      (stripe) => stripe.paymentIntents.list(ONE),
      (stripe) => stripe.refunds.list(ONE),
    ],
  },
  {
    right: 'refund',
    may: 'refund',
    needs: 'Charges and refunds: write',
    send: [(stripe) => stripe.refunds.create({})],
  },
  {
    right: 'capture',
    may: 'capture',
    needs: 'PaymentIntents: write',
    send: [(stripe) => stripe.paymentIntents.capture(INTENT)],
  },
  {
    right: 'void',
    may: 'void',
    needs: 'PaymentIntents: write',
    send: [(stripe) => stripe.paymentIntents.cancel(INTENT)],
  },
  {
    right: 'tokenization',
    may: 'save cards',
    needs: 'Checkout Sessions, SetupIntents, Customers and PaymentMethods: write',
    send: [
      (stripe) => stripe.checkout.sessions.create({ mode: 'setup' }),
      (stripe) => stripe.paymentMethods.retrieve(METHOD),
      (stripe) => stripe.paymentMethods.detach(METHOD),
    ],
  },
  {
    right: 'subscriptions',
    may: 'charge saved cards',
    needs: 'PaymentIntents: write',
    // The library requires what is left out here on purpose.
    send: [(stripe) => stripe.paymentIntents.create({} as Stripe.PaymentIntentCreateParams)],
  },
  {
    may: 'read disputes',
    needs: 'Disputes: read',
    send: [(stripe) => stripe.disputes.list(ONE)],
  },
]

export async function checkRights(call: StripeCall): Promise<Finding[]> {
  const findings: Finding[] = []
  // One after the other, because an account has only a few requests at once.
  for (const probe of PROBES) findings.push(await findRight(call, probe))
  return findings
}

async function findRight(call: StripeCall, { right, may, needs, send }: Probe): Promise<Finding> {
  const about = right ? { right } : {}
  for (const each of send) {
    const answer = await answerTo(call, each)
    if (answer === 'granted') continue
    if (answer === 'denied')
      return problem(`The key may not ${may}. Give it the permission "${needs}" in the Dashboard.`, {
        ...about,
        ...(right === 'payment' && { refusal: 'rights' }),
      })
    if (answer.isOfAccount) return problem(`Stripe refuses: ${answer.message}`, { refusal: 'account' })
    return unknown(`Whether the key may ${may} could not be asked: ${answer.message}`)
  }
  return ok(`The key may ${may}.`, { ...about, ...(right === 'payment' && { refusal: 'rights' }) })
}

type Answer = 'granted' | 'denied' | { isOfAccount: boolean; message: string }

async function answerTo(call: StripeCall, send: Probe['send'][number]): Promise<Answer> {
  try {
    await askStripe(call, send)
    return 'granted'
  } catch (error) {
    const { message } = error as Error
    if (!(error instanceof AccountRefusedError))
      return refusalOf(error) ? 'granted' : { isOfAccount: false, message }
    return error.refusal === 'rights' ? 'denied' : { isOfAccount: error.refusal === 'account', message }
  }
}
