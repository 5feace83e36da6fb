/** The results of `account test` at Stripe: whose key it is, each right by itself, the webhook and the clock. */
import { afterEach, describe, expect, test } from 'vitest'
import type { Endpoint } from '../../testing/providers/stripe/form.ts'
import { setStripeScene } from '../../testing/providers/stripe-scene.ts'
import { closeAfter } from '../../testing/scene.ts'
import { stripeDriver } from './driver.ts'
import { EVENTS } from './inbound.ts'

const CALLBACK = { callbackUrl: 'https://kassa.example/callbacks/acc_test_scene' }

const scene = closeAfter(await setStripeScene())
afterEach(() => {
  scene.account.forbidden.clear()
  scene.account.isActivated = true
  Object.assign(scene.endpoint, { style: 'snapshot', events: EVENTS, url: CALLBACK.callbackUrl })
})

const check = async (changes: object = {}, live = false) =>
  (await stripeDriver.check?.(scene.callWith(changes, live), CALLBACK)) ?? []
const lines = async (changes: object = {}, live = false) =>
  (await check(changes, live)).map(({ state, message }) => `${state} ${message}`)
const differing = async (changes: object = {}) =>
  (await lines(changes)).filter((each) => !each.startsWith('ok '))

test('everything is asked, and the one session that is opened is ended at once', async () => {
  expect(await lines()).toEqual([
    'ok Stripe accepts the key.',
    'ok The key belongs to acct_simulatedScene.',
    'ok It is a test key, as this world needs it.',
    'ok The key may create payments.',
    'ok The key may read payments.',
    'ok The key may refund.',
    'ok The key may capture.',
    'ok The key may void.',
    'ok The key may save cards.',
    'ok The key may charge saved cards.',
    'ok The key may read disputes.',
    'ok The webhook leads to https://kassa.example/callbacks/acc_test_scene.',
    'ok The webhook endpoint is enabled.',
    'ok The webhook endpoint sends every event that is needed.',
    "ok The webhook endpoint sends snapshot events in the account's default API version. The service can read them.",
  ])
  const { sessions, intents, setups, refunds, methods, charges } = scene.account
  expect([intents, setups, refunds, methods, charges].map(({ size }) => size)).toEqual(Array(5).fill(0))
  expect([...sessions.values()].map(({ status }) => status)).toEqual(['expired'])
})

describe('a right that the key lacks is a problem of that right alone', () => {
  test.each([
    ['POST checkout/sessions', ['create payments', 'save cards'], ['payment', 'tokenization']],
    ['GET payment_intents', ['read payments'], []],
    ['GET refunds', ['read payments'], []],
    ['POST refunds', ['refund'], ['refund']],
    ['POST payment_intents/:id/capture', ['capture'], ['capture']],
    ['POST payment_intents/:id/cancel', ['void'], ['void']],
    ['POST payment_methods/:id/detach', ['save cards'], ['tokenization']],
    ['POST payment_intents', ['charge saved cards'], ['subscriptions']],
    ['GET disputes', ['read disputes'], []],
  ] as const)('%s', async (endpoint: Endpoint, missing, rights) => {
    scene.account.forbidden.add(endpoint)
    const faulty = (await check()).filter(({ state }) => state === 'problem')
    expect(faulty.map(({ message }) => message.split('.')[0])).toEqual(
      missing.map((may) => `The key may not ${may}`),
    )
    expect(faulty.flatMap(({ right }) => right ?? [])).toEqual(rights)
    expect(faulty.flatMap(({ refusal }) => refusal ?? [])).toEqual(
      missing.some((may) => may === 'create payments') ? ['rights'] : [],
    )
  })
})

test('an account without a business name opens no checkout, and the advice says where the name is set', async () => {
  scene.account.hasName = false
  const found = (await check()).filter(({ state }) => state === 'problem')
  scene.account.hasName = true
  expect(found).toEqual([
    {
      state: 'problem',
      refusal: 'account',
      message: expect.stringMatching(/business name.*Settings, Business/),
    },
  ])
})

test('what the key may not read is unknown, and never ok', async () => {
  scene.account.forbidden.add('GET account')
  expect(await differing()).toEqual([
    expect.stringMatching(/^unknown Stripe does not tell this key whose it is/),
  ])
  scene.account.forbidden.clear()
  scene.account.forbidden.add('GET webhook_endpoints').add('GET v2/core/event_destinations')
  expect(await differing()).toEqual([
    expect.stringMatching(/^unknown The key may not read all webhook endpoints/),
  ])
})

test('a right that Stripe does not answer about is unknown', async () => {
  scene.server.spoilNextWrite('busy')
  expect(await differing()).toEqual([
    expect.stringMatching(/^unknown Whether the key may create payments could not be asked: .*429/),
  ])
})

test('an account that is not activated takes no payments, whatever the key may do', async () => {
  scene.account.isActivated = false
  const faulty = (await check()).filter(({ state }) => state === 'problem')
  expect(faulty[0]).toMatchObject({ refusal: 'account', message: expect.stringContaining('not activated') })
})

test('a live account is activated, or the Dashboard says what is missing', async () => {
  const LIVE = 'sk_live_planted_key_of_the_scene'
  scene.account.keys.add(LIVE)
  const call = scene.callWith({}, true)
  const live = { ...call, settings: { ...call.settings, SECRET_KEY: LIVE } }
  const activation = async () =>
    (await stripeDriver.check?.(live, CALLBACK))?.filter(
      ({ message }) => message.includes('account take') || message.includes('charges_enabled'),
    )
  expect(await activation()).toEqual([
    { state: 'ok', refusal: 'account', message: 'Stripe has activated this account (charges_enabled).' },
  ])
  scene.account.isActivated = false
  expect(await activation()).toEqual([
    {
      state: 'problem',
      refusal: 'account',
      message: expect.stringContaining('does not let this account take payments yet'),
    },
  ])
  scene.account.keys.delete(LIVE)
})

test('a key of another account is named, and its rights are not asked', async () => {
  const before = scene.server.writes.length
  expect(await lines({ ACCOUNT: 'acct_ofSomebodyElse' })).toEqual([
    'problem The key belongs to the Stripe account acct_simulatedScene, and ACCOUNT says acct_ofSomebodyElse. Correct one of the two.',
  ])
  expect(scene.server.writes.length).toBe(before)
})

test('a key that Stripe refuses, and one of the other world', async () => {
  expect(await check({ SECRET_KEY: 'sk_test_wrong_wrong' })).toEqual([
    {
      state: 'problem',
      refusal: 'credentials',
      message: expect.stringMatching(/^Stripe refuses the key in SECRET_KEY/),
    },
  ])
  expect(await lines({}, true)).toContainEqual('problem This is a test key in the live world.')
})

describe('the webhook', () => {
  test('is not set up, is not there, or leads elsewhere', async () => {
    expect(await differing({ WEBHOOK_SECRET: undefined })).toEqual([
      expect.stringMatching(/^problem WEBHOOK_SECRET is not set/),
    ])
    scene.endpoint.url = 'https://kassa.example/callbacks/acc_another'
    expect(await differing()).toEqual([
      expect.stringMatching(/^problem No webhook endpoint at Stripe leads to https:\/\/kassa\.example/),
    ])
    scene.endpoint.url = 'https://old.example/callbacks/acc_test_scene'
    expect(await differing()).toEqual([
      expect.stringMatching(/^unknown The webhook leads to https:\/\/old\.example\/.*BASE_URL says/),
    ])
  })

  test('lacks events', async () => {
    scene.endpoint.events = EVENTS.slice(1)
    expect(await differing()).toEqual([
      'problem The webhook endpoint does not send charge.dispute.closed. Add these events.',
    ])
  })

  test('sends thin events', async () => {
    Object.assign(scene.endpoint, { style: 'thin', events: EVENTS.map((type) => `v1.${type}`) })
    expect(await differing()).toEqual([])
    expect(await lines()).toContain('ok The webhook endpoint sends thin events. The service can read them.')
    scene.endpoint.events = ['v1.charge.refunded']
    expect(await differing()).toEqual([
      expect.stringMatching(/^problem .* does not send v1\.charge\.dispute\.closed/),
    ])
  })
})
