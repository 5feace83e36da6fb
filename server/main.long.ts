/** A start that is stopped at any moment. */
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from './testing/harness.ts'
import { startProcess } from './testing/processes/child-process.ts'

const ENTRY = fileURLToPath(new URL('./main.ts', import.meta.url))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-start-'))
  await chmod(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

type Start = { output(): string; pidFile(): Promise<string> }
/** Moments of a start that can be observed from outside. The first start creates the database cluster, the others use it. */
const MOMENTS: [string, NodeJS.Signals, (start: Start) => Promise<boolean>][] = [
  [
    'while the cluster is made',
    'SIGTERM',
    async ({ output }) => output().includes('Preparing a private PostgreSQL'),
  ],
  ['before the database is looked for', 'SIGTERM', async () => true],
  ['when the database has its pid file', 'SIGTERM', async ({ pidFile }) => (await pidFile()) !== ''],
  ['when the database is ready', 'SIGTERM', async ({ pidFile }) => /^ready/m.test(await pidFile())],
  ['when the service is ready', 'SIGINT', async ({ output }) => output().includes('is ready after')],
]

test('a stop at any moment of the start leaves no database running', async () => {
  const env = { DATA_DIR: folder, PORT: String(await freePort()) }
  const pidFile = () => readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
  for (const [moment, request, hasCome] of MOMENTS) {
    let output = ''
    const child = startProcess(ENTRY, { env })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
    const ended = once(child, 'exit')
    const seen = { output: () => output, pidFile }
    await expect.poll(() => hasCome(seen), { interval: 5 }).toBe(true)
    child.kill(request)
    const [code, signal] = await ended
    // Before the first line of code has run, Node ends like any program on SIGTERM.
    const end = signal === 'SIGTERM' ? signal : code
    expect([moment, end, await pidFile()]).toEqual([moment, signal === 'SIGTERM' ? signal : 0, ''])
  }
})
