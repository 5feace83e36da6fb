/** Nothing private gets into a recording, wherever a provider puts it. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DRIVERS } from '../providers/registry.ts'
import { CREDENTIALS, type ProofScene, setProofScene } from '../testing/providers/proof-scene.ts'
import { readRecording } from './folder.ts'
import { addressFor, standInFor } from './stand-in.ts'

/** Some are also names of fields that providers use, or look like the words that are kept. */
const PLANTED = [
  'sk_test_plantedSecretKey0009',
  'A21AAplantedAccessToken',
  'Plantedname',
  'Aram Plantedyan',
  'Արամ Պլանտեդյան',
  'planted.buyer@mail.example',
  '+374 91 555 444',
  '4242424242424242',
  '4242 4242 4242 4242',
  '17 Planted Street, Yerevan 0010',
  'AM47212110090000000235698741',
  'https://planted.example/orders/77123?mail=planted.buyer%40mail.example&token=plantedtoken',
] as const
const FORBIDDEN = [
  ...PLANTED,
  'lanted',
  'Արամ',
  '555 444',
  '77123',
  '4242424242424242',
  '212110090000000235698741',
]

let scene: ProofScene
let folder: string
const answers: string[] = []

/** Adds fields with private values to every object of an answer, under names that providers use. */
function plant(value: unknown, of = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => plant(each))
  if (typeof value !== 'object' || value === null) return value
  const own = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plant(each, name)]))
  // Stripe has only texts there, and at most fifty.
  if (of === 'metadata') return { ...own, buyer: PLANTED[3], 'planted.buyer@mail.example': PLANTED[5] }
  const more = {
    payer_note: PLANTED[3],
    email_address: PLANTED[5],
    card_number: Number(PLANTED[7]),
    full_address: [PLANTED[9], { iban: PLANTED[10], 'planted.buyer@mail.example': PLANTED[2] }],
    return_link: PLANTED[11],
  }
  return { ...more, ...own }
}

beforeAll(async () => {
  scene = await setProofScene({
    spoil(text) {
      if (!/^\s*\{/.test(text)) return text
      answers.push(text)
      return JSON.stringify(plant(JSON.parse(text)))
    },
  })
  folder = await mkdtemp(join(tmpdir(), 'kassa-planted-'))
})
afterAll(async () => {
  await scene.close()
  await rm(folder, { recursive: true })
})

test.each(['stripe', 'paypal'] as const)('%s: a recorded folder has nothing private', async (name) => {
  const into = join(folder, name)
  const { code, stderr } = await scene.run(name, ['--record', into])
  expect([code, stderr]).toEqual([0, ''])
  const files = await readdir(into)
  expect(files.length).toBeGreaterThan(8)
  const own = [scene.accountOf(name), scene.kassa.url, new URL(scene.kassa.url).host]
  for (const file of files) {
    const bytes = await readFile(join(into, file))
    for (const secret of [...FORBIDDEN, ...CREDENTIALS, ...own])
      expect([file, secret, bytes.includes(secret)]).toEqual([file, secret, false])
    // References and ids of payments are stand-ins too.
    expect(bytes.toString()).not.toMatch(/pay_test_\w|cs_test_sim|\bO0{6}|pi_sim0/)
  }
})

/** Each field gets one in so many of the planted texts. They take turns over the fields of all answers. */
const EVERY = 3

/** Calls `act` for each field of a value, with each text in turn that replaces it. */
function eachField(
  value: unknown,
  turn: { of: number },
  act: (changed: unknown) => void,
  whole = value,
): void {
  if (typeof value !== 'object' || value === null) return
  const inner = value as Record<string, unknown>
  for (const [name, each] of Object.entries(inner)) {
    if (typeof each === 'object' && each !== null) eachField(each, turn, act, whole)
    else {
      turn.of++
      for (const planted of PLANTED.filter((_, at) => (at + turn.of) % EVERY === 0)) {
        inner[name] = typeof each === 'number' && /^\d+$/.test(planted) ? Number(planted) : planted
        act(whole)
      }
      inner[name] = each
    }
  }
}

/** The requests and the answers of the recordings that stand beside a driver. */
async function readExchanges(name: string): Promise<string[]> {
  const own = join(import.meta.dirname, '..', 'providers', name, 'recordings')
  const recordings = await Promise.all((await readdir(own)).map((each) => readRecording(join(own, each))))
  const exchanges = recordings.flatMap(({ calls }) => calls.flatMap((call) => call.exchanges))
  return exchanges.flatMap(({ requestBody, responseBody }) => [
    JSON.stringify(requestBody),
    JSON.stringify(responseBody),
  ])
}

const DRIVEN = ['stripe', 'paypal', 'rbs', 'ameria']

test.each(DRIVEN)('%s: every field of every exchange, also one that is kept', async (name) => {
  const recorded = (await readExchanges(name)).filter((text) => text.startsWith('{'))
  expect(recorded.length).toBeGreaterThan(20)
  const recordable = DRIVERS[name]?.proof?.recordable
  if (!recordable) throw new Error('the driver has no list')
  const of = { key: 'a key', recordable, origins: [], now: new Date() }
  let fields = 0
  // Each kind of request or answer has the same fields.
  const kinds = new Map([...answers, ...recorded].map((text) => [Object.keys(JSON.parse(text)).join(), text]))
  const turn = { of: 0 }
  for (const text of kinds.values())
    eachField(JSON.parse(text), turn, (changed) => {
      fields++
      const kept = JSON.stringify(standInFor(of, changed))
      for (const secret of FORBIDDEN) if (kept.includes(secret)) expect([secret, kept]).toEqual([])
    })
  expect(fields).toBeGreaterThan(1_000)
})

test('an address keeps only its listed parts, also in its path and its query', () => {
  const recordable = DRIVERS.stripe?.proof?.recordable
  if (!recordable) throw new Error('the driver has no list')
  const of = { key: 'a key', recordable, origins: ['http://127.0.0.1:4000'], now: new Date() }
  for (const planted of PLANTED) {
    const path = `/v1/checkout/sessions/${encodeURIComponent(planted)}?limit=100&mail=${encodeURIComponent(planted)}`
    for (const shown of [
      addressFor(of, path),
      addressFor(of, `https://checkout.stripe.com${path}#${planted}`),
    ]) {
      expect(shown).toMatch(/\/v1\/checkout\/sessions\/.*limit=100&/)
      for (const secret of FORBIDDEN)
        for (const each of [secret, encodeURIComponent(secret)]) expect(shown).not.toContain(each)
    }
  }
})

test('equal words have equal stand-ins of the same shape, and another key gives others', () => {
  const recordable = DRIVERS.paypal?.proof?.recordable
  if (!recordable) throw new Error('the driver has no list')
  const of = { key: 'a key', recordable, origins: [], now: new Date() }
  const value = {
    id: 'Ab12-xY',
    link: { href: '/v2/checkout/orders/Ab12-xY' },
    both: 'Ab12-xY.key9',
    status: 'APPROVED',
  }
  const shown = standInFor(of, value) as typeof value
  expect(shown.id).toMatch(/^[A-Z][a-z]\d\d-[a-z][A-Z]$/)
  expect(shown.link.href).toBe(`/v2/checkout/orders/${shown.id}`)
  expect(shown.both.startsWith(`${shown.id}.`)).toBe(true)
  expect(shown.status).toBe('APPROVED')
  expect(standInFor({ ...of, key: 'another' }, value)).not.toEqual(shown)
  expect(standInFor(of, { update_time: null, custom: true, none: '' })).toEqual({
    update_time: null,
    custom: true,
    none: '',
  })
})
