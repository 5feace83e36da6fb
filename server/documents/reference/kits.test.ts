/** Each kit as it is handed out, run in its own language and framework against a running service. */
import { execFile } from 'node:child_process'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { recordPayments } from '../../testing/kits/recorded-payments.ts'
import { KIT_RUNNERS } from '../../testing/kits/runners.ts'
import { openKassa } from '../../testing/scene.ts'
import { testKit } from './kits.suite.ts'
import { KIT_FILES, KITS } from './kits.ts'

const kassa = await openKassa({ worker: true })
const recorded = await recordPayments(kassa)

const readFile = async (path: string) => (await fetch(`${kassa.url}${path}`)).text()

test('every kit has a runner', () => {
  expect(KIT_RUNNERS.map(({ label }) => label)).toEqual(KITS.map(({ label }) => label))
})

/** The kit without a framework in the language of the service. `npm run test:long` runs the others. */
const isPlain = ({ label }: { label: string }) => label === 'Node'

/** Two kits run at a time, one of each half. More would wait for the same processors. */
const halvesOf = (kits: typeof KIT_RUNNERS) =>
  [0, 1].map((half) => ({ half: half + 1, runners: kits.filter((_, index) => index % 2 === half) }))

function testHalf({ runners }: { runners: typeof KIT_RUNNERS }): void {
  describe.each(runners)('the kit for $label', { concurrent: false }, (runner) => {
    if (runner.missing) test.skip(`is not run, because this machine has no ${runner.missing}`)
    else testKit(runner, () => ({ kassa, recorded }))
  })
}

testHalf({ runners: KIT_RUNNERS.filter(isPlain) })
describe('the other kits', { tags: ['long'] }, () => {
  const others = KIT_RUNNERS.filter((each) => !isPlain(each))
  describe.concurrent.each(halvesOf(others))('half $half of them', testHalf)
})

describe.each(KIT_FILES)('$file', ({ file, path, mediaType }) => {
  test('is handed out as an attachment, and shown in the reference', async () => {
    const answer = await fetch(`${kassa.url}${path}`)
    expect(answer.headers.get('content-type')).toBe(`${mediaType}; charset=utf-8`)
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${basename(file)}"`)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '', 'cache-control': 'max-age=0' }
    expect((await fetch(answer.url, { headers })).status).toBe(304)
    const pages = await Promise.all(['/docs/clients', '/docs/api/receiver-kits'].map(readFile))
    expect(pages.join()).toContain(`href="${path}"`)
  })
})

test('a receiver says which Node it needs where there is no SQLite', async () => {
  // What a Node before 22.13 answers to node:sqlite.
  const kit = fileURLToPath(new URL('../../clients/node/kassa-receiver.mjs', import.meta.url))
  const program = `import { openReceiver } from '${kit}'; openReceiver({ secrets: 'whsec_x' })`
  const args = ['--no-experimental-sqlite', '--input-type=module', '-e', program]
  const failed = await promisify(execFile)(process.execPath, args).catch((error) => error)
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/Error: This needs Node 22\.13/) })
})

test('no other file of the folder is handed out, and no other method taken', async () => {
  for (const name of [
    'vectors.json',
    '..%2Fmain.ts',
    'python/kassa_receiver',
    'constructor',
    'python',
    'kassa.py',
  ])
    expect((await fetch(`${kassa.url}/docs/clients/${name}`)).status).toBe(404)
  const posted = await fetch(`${kassa.url}/docs/clients/python/kassa_receiver.py`, { method: 'POST' })
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})
