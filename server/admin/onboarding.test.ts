import { afterAll, beforeAll, expect, test } from 'vitest'
import { PaymentStatusChanged } from '../contract/event.ts'
import type { World } from '../contract/health.ts'
import { authenticate } from '../merchants/api-key.ts'
import { createSession, lookUp, payAtBank, sessionRequest } from '../testing/calls.ts'
import { type Kassa, type Shop, startKassa } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import {
  carefulStatus,
  isSignedWith,
  type Received,
  type Receiver,
  startReceiver,
} from '../testing/receiver.ts'
import { LIVE_SETTINGS } from '../testing/scene/live.ts'

const ORIGIN = 'https://tea.example'
/** Serves both worlds. */
let kassa: Kassa
let receiver: Receiver
/** The receiver's status for events with a valid signature. */
let status = 200
/** The secrets that the receiver knows. */
const secrets: string[] = []

beforeAll(async () => {
  receiver = await startReceiver((_, delivery) => {
    const careful = carefulStatus(delivery, secrets, kassa.clock.now())
    return careful === 200 ? status : careful
  })
  const permitted = { callbackAllow: ['loopback'], baseUrl: undefined }
  kassa = await startKassa({ worker: true, settings: LIVE_SETTINGS, permitted })
})
afterAll(async () => {
  await kassa.close()
  await receiver.close()
})

/** In the sandbox, unless the command names the live world. */
function read(...args: string[]) {
  return operateHere(async () => kassa.worlds, args.includes('--live') ? args : [...args, '--sandbox'])
}
async function run(...args: string[]) {
  return JSON.parse((await read(...args, '--json')).stdout)
}
/** Sets the live callback URL. Its secret is known to the receiver. */
async function goLive(of: string[], url: string): Promise<void> {
  const { webhookSecret } = await run('callback', 'set', ...of, '--url', url, '--live')
  if (webhookSecret) secrets.push(webhookSecret)
}
async function makeMerchant(): Promise<{ of: string[]; webhookSecret: string }> {
  const made = await run('merchant', 'create', '--name', 'Tea', '--callback-url', receiver.url)
  secrets.push(made.webhookSecret)
  return { of: ['--merchant', made.merchantId], webhookSecret: made.webhookSecret }
}
async function payOrder(token: string, order: string): Promise<void> {
  const body = sessionRequest({ merchantOrderId: order })
  const session = await createSession(kassa.url, { token } as Shop, { key: order, body })
  await payAtBank(session.body.providerCheckoutUrl, 'paid')
}

test('a live token and a live public key are refused with the open steps until every step is done', async () => {
  const { of } = await makeMerchant()
  const openSteps = async () => (await run('merchant', 'onboarding', ...of)).open
  const refused = await read('token', 'issue', ...of, '--live')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(
    /onboarding[\s\S]*domain_reviewed[\s\S]*callback_verified[\s\S]*test_payment/,
  )
  expect(refused.stderr).toMatch(
    /origin approve --merchant mer_[\s\S]*callback set --merchant mer_[^\n]*--live/,
  )
  const installation = ['installation', 'create', ...of, '--origin', ORIGIN, '--live']
  expect((await read(...installation)).stderr).toMatch(/onboarding[\s\S]*domain_reviewed/)
  expect(await openSteps()).toEqual(['domain_reviewed', 'callback_verified', 'test_payment'])

  await run('origin', 'approve', ...of, '--origin', ORIGIN)
  expect(await openSteps()).toEqual(['callback_verified', 'test_payment'])
  expect(await run('callback', 'verify', ...of)).toMatchObject({ accepted: true, world: 'sandbox' })
  expect(await openSteps()).toEqual(['callback_verified', 'test_payment'])
  await goLive(of, receiver.url)
  expect(await openSteps()).toEqual(['callback_verified', 'test_payment'])
  const unverified = await read('token', 'issue', ...of, '--live')
  expect(unverified.stderr).toMatch(/has not been verified[\s\S]*callback verify --merchant mer_[^\n]*--live/)
  expect(await run('callback', 'verify', ...of, '--live')).toMatchObject({ accepted: true, world: 'live' })
  expect(await openSteps()).toEqual(['test_payment'])
  expect(await run('token', 'issue', ...of, '--live')).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(/Still open:\n {2}test_payment[^\n]*$/) },
  })

  const { token } = await run('token', 'issue', ...of)
  await payOrder(token, 'test-order')
  await expect.poll(openSteps).toEqual([])
  expect((await read('merchant', 'onboarding', ...of)).stdout).toContain('Complete')
  const issued = await run('token', 'issue', ...of, '--live')
  expect(issued).toMatchObject({ ok: true, world: 'live', token: expect.stringMatching(/^ksk_live_/) })
  expect(await run(...installation)).toMatchObject({
    ok: true,
    publicKey: expect.stringMatching(/^kpk_live_/),
  })
  const { tokenId } = issued
  expect(await run('token', 'list', ...of, '--live')).toMatchObject({ world: 'live', tokens: [{ tokenId }] })
  const { tokens } = await run('token', 'list', ...of)
  expect(tokens).toMatchObject([{ tokenId: expect.stringMatching(/^tok_test_/) }])
  expect((await lookUp(kassa.url, issued, 'pay_none')).status).toBe(404)
  const bearer = `Bearer ${issued.token}`
  await expect(authenticate(kassa.live, bearer, 'payments.write')).resolves.toMatchObject({ id: tokenId })
})

test('a payment completes the last step only if its event was accepted and it was paid in the sandbox', async () => {
  const { of } = await makeMerchant()
  const { token } = await run('token', 'issue', ...of)
  const doneIn = async (world: World) => (await run('merchant', 'onboarding', ...of, `--${world}`)).done
  status = 500
  try {
    const before = receiver.received.length
    await payOrder(token, 'unheard')
    await receiver.until(before + 1)
    expect(await doneIn('sandbox')).toEqual([])
    // The same event, accepted, but in the live world.
    const columns = 'merchant_id, id, payment_id, sequence, status, body, created_at'
    await kassa.ctx.db.query(
      `insert into live.events (${columns}, state, delivered_at)
       select ${columns}, 'delivered', created_at from sandbox.events where merchant_id = $1`,
      [of[1]],
    )
    expect([await doneIn('live'), await doneIn('sandbox')]).toEqual([[], []])
  } finally {
    status = 200
  }
  await expect.poll(() => doneIn('sandbox')).toEqual(['test_payment'])
  expect(await doneIn('live')).toEqual(['test_payment'])
})

test('the test event of a verification has the form and signature of a real event, and a failed verification is recorded', async () => {
  const { of, webhookSecret } = await makeMerchant()
  const before = receiver.received.length
  const accepted = await run('callback', 'verify', ...of)
  expect(accepted).toMatchObject({ ok: true, accepted: true, statusCode: 200, url: receiver.url })
  expect(accepted.checks.map(({ name }: { name: string }) => name)).toEqual([
    'accepts_event',
    'no_redirect',
    'answers_fast',
    'refuses_missing_signature',
    'refuses_bad_signature',
    'refuses_stale_timestamp',
    'refuses_changed_body',
    'accepts_duplicate',
  ])
  expect(receiver.received).toHaveLength(before + 6)
  const sent = receiver.received[before]
  expect(receiver.received[before + 5]?.body).toBe(sent?.body)
  expect(PaymentStatusChanged.parse(sent?.event)).toMatchObject({
    id: accepted.eventId,
    payment: { status: 'created', merchantOrderId: 'callback-check' },
  })
  expect(sent && isSignedWith(sent, webhookSecret)).toBe(true)
  expect(sent?.headers).toMatchObject({ 'webhook-id': accepted.eventId, 'user-agent': 'Kassa/1 (+events)' })

  status = 302
  const refused = await read('callback', 'verify', ...of)
  expect(refused.code).toBe(1)
  expect(refused.stdout).toMatch(/did not pass[\s\S]*FAIL +no redirect +302/)
  await goLive(of, receiver.url)
  expect((await read('callback', 'verify', ...of, '--live')).code).toBe(1)
  status = 200
  const openSteps = async () => (await run('merchant', 'onboarding', ...of)).open
  expect(await openSteps()).toContain('callback_verified')
  await run('callback', 'verify', ...of, '--live')
  expect(await openSteps()).not.toContain('callback_verified')
  await goLive(of, `${receiver.url}/moved`)
  expect(await openSteps()).toContain('callback_verified')
})

/** Receivers with one fault each, and the checks that they fail. */
const FAULTY: [fault: string, answer: (delivery: Received, nth: number) => number, fails: string[]][] = [
  [
    'accepts everything',
    () => 200,
    ['refuses_missing_signature', 'refuses_bad_signature', 'refuses_stale_timestamp', 'refuses_changed_body'],
  ],
  [
    'fails with 500 instead of rejecting',
    (delivery) => (carefulStatus(delivery, secrets, kassa.clock.now()) === 200 ? 200 : 500),
    ['refuses_missing_signature', 'refuses_bad_signature', 'refuses_stale_timestamp', 'refuses_changed_body'],
  ],
  [
    'does not check the time',
    (delivery) => (secrets.some((secret) => isSignedWith(delivery, secret)) ? 200 : 401),
    ['refuses_stale_timestamp'],
  ],
  [
    'rejects a repeated event',
    (delivery, nth) => (nth > 0 ? 409 : carefulStatus(delivery, secrets, kassa.clock.now())),
    ['accepts_duplicate'],
  ],
  [
    'redirects',
    (delivery) => (carefulStatus(delivery, secrets, kassa.clock.now()) === 200 ? 307 : 401),
    ['accepts_event', 'no_redirect', 'accepts_duplicate'],
  ],
]

test.each(FAULTY)(
  'a receiver that %s does not pass the verification, and the report says why',
  async (_, answer, fails) => {
    const seen = new Map<string, number>()
    const faulty = await startReceiver((_index, delivery) => {
      const nth = seen.get(delivery.event.id) ?? 0
      seen.set(delivery.event.id, nth + 1)
      return answer(delivery, nth)
    })
    const { of } = await makeMerchant()
    await goLive(of, faulty.url)
    const { ok, accepted, checks, error } = await run('callback', 'verify', ...of, '--live')
    await faulty.close()
    const failed = checks.filter(({ passed }: { passed: boolean }) => !passed)
    expect(failed.map(({ name }: { name: string }) => name)).toEqual(fails)
    for (const { advice } of failed) expect(advice).toMatch(/\w{3,}.*\.$/)
    expect([ok, accepted]).toEqual([false, false])
    expect(error.message).toContain(fails[0])
    const [, callback] = (await run('merchant', 'onboarding', ...of, '--live')).steps
    const faults = failed.filter(({ skipped }: { skipped?: true }) => !skipped)
    const detail = expect.stringContaining(faults.map(({ name }: { name: string }) => name).join(', '))
    expect(callback).toMatchObject({ done: false, detail })
  },
)

test('if a receiver rejects everything, the check of repeated events is skipped', async () => {
  const strange = await startReceiver(() => 401)
  const { of } = await makeMerchant()
  await run('callback', 'set', ...of, '--url', strange.url)
  const { stdout } = await read('callback', 'verify', ...of)
  await strange.close()
  expect(stdout).toMatch(/FAIL +accepts event +401/)
  expect(stdout).toMatch(/skip +accepts duplicate +none .*was rejected/)
})

test('every view of the events says that the callback URL is paused, and only a successful verification ends the pause', async () => {
  const { of } = await makeMerchant()
  const { token } = await run('token', 'issue', ...of)
  const show = async () => (await run('callback', 'show', ...of)).receiver
  const says = async (...words: string[]) => (await read(...words, ...of)).stdout
  expect(await show()).toMatchObject({ state: 'healthy', lastFailure: null, waiting: 0 })
  status = 410
  try {
    await payOrder(token, 'forgotten')
    await expect.poll(async () => (await show()).state).toBe('paused')
    await payOrder(token, 'forgotten-too')
    expect(await show()).toMatchObject({ failures: 1, waiting: 2, lastFailure: { statusCode: 410 } })
    expect(await says('callback', 'show')).toMatch(
      /paused: 1 failure[\s\S]*answered 410[\s\S]*gone for good[\s\S]*2 events waiting[\s\S]*callback verify --merchant/,
    )
    expect(await says('merchant', 'show')).toMatch(/Its state +paused: 1 failure/)
    const listed = await says('event', 'list')
    expect(listed.match(/pending, receiver paused/g)).toHaveLength(2)
    expect(listed).toMatch(/is paused: .*callback show --merchant/)
    expect(await run('callback', 'verify', ...of)).toMatchObject({ accepted: false, woken: null })
    expect(await show()).toMatchObject({ state: 'paused', waiting: 2 })
  } finally {
    status = 200
  }
  expect(await run('callback', 'verify', ...of)).toMatchObject({ accepted: true, woken: 'paused' })
  const states = async () =>
    (await run('event', 'list', ...of)).events.map((each: { state: string }) => each.state)
  await expect.poll(states).toEqual(['delivered', 'delivered'])
  expect(await show()).toMatchObject({ state: 'healthy', waiting: 0 })
  expect(await run('callback', 'verify', ...of)).toMatchObject({ accepted: true, woken: null })
})

test('if nothing listens at the URL, only one request is sent, and the report says so', async () => {
  const { of } = await makeMerchant()
  const gone = await startReceiver()
  await gone.close()
  await run('callback', 'set', ...of, '--url', gone.url)
  const { checks, failure } = await run('callback', 'verify', ...of)
  expect(failure).toContain('ECONNREFUSED')
  expect(checks[0].advice).toContain('Nothing listens there')
  expect(checks.slice(3).map(({ durationMs }: { durationMs: number }) => durationMs)).toEqual([0, 0, 0, 0, 0])
})

test('after a rotation both secrets sign until the overlap ends, and then only the new one signs', async () => {
  const { of, webhookSecret: old } = await makeMerchant()
  const { webhookSecret: fresh } = await run('callback', 'rotate-secret', ...of, '--overlap', '1h')
  const signedBy = async () => {
    const { eventId } = await run('callback', 'verify', ...of)
    const sent = receiver.received.find(({ event }) => event.id === eventId)
    return [old, fresh].map((secret) => sent && isSignedWith(sent, secret))
  }
  expect(await signedBy()).toEqual([true, true])
  kassa.clock.advance(3_600_000)
  try {
    expect(await signedBy()).toEqual([false, true])
  } finally {
    kassa.clock.advance(-3_600_000)
  }
  const { webhookSecret: last } = await run('callback', 'rotate-secret', ...of, '--overlap', '0')
  expect(last).not.toBe(fresh)
  expect(await signedBy()).toEqual([false, false])
})

test('a token is accepted in its own world only, and the live world issues none before the onboarding is complete', async () => {
  const made = await run('merchant', 'create', '--name', 'Early', '--live')
  const issue = ['token', 'issue', '--merchant', made.merchantId]
  // Without a flag the command works on the world that MODE names.
  expect((await operateHere(async () => kassa.worlds, issue)).stderr).toContain('onboarding')
  const { of } = await makeMerchant()
  const sandbox = await run('token', 'issue', ...of)
  expect((await lookUp(kassa.url, sandbox, 'pay_test_none')).status).toBe(404)
  const bearer = `Bearer ${sandbox.token}`
  await expect(authenticate(kassa.live, bearer, 'payments.read')).rejects.toMatchObject({
    code: 'invalid_token',
  })
  await expect(authenticate(kassa.ctx, bearer, 'payments.read')).resolves.toBeTruthy()
})

test('a deployment that serves the sandbox alone refuses live tokens and live commands, and says why', async () => {
  const alone = { sandbox: kassa.ctx }
  const { code, stderr } = await operateHere(
    async () => alone,
    ['token', 'list', '--merchant', 'm', '--live'],
  )
  expect([code, stderr]).toEqual([1, expect.stringMatching(/no live world[\s\S]*MODE=live/)])
  const other = await startKassa()
  const { status: answered, body } = await lookUp(other.url, { token: 'ksk_live_x' } as Shop, 'pay_none')
  await other.close()
  expect([answered, body.error]).toEqual([
    401,
    expect.objectContaining({ hint: 'This service does not serve the world of this token.' }),
  ])
})
