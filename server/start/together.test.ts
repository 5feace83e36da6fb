/** Services that start at the same moment on an empty database and a new data directory: what is done once is done once. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { seedDemo } from '../demo/seed.ts'
import { readSecretsKeys } from '../secrets/keys.ts'
import { createEmptyDatabase } from '../testing/database.ts'
import { spawnKassa, startKassa } from '../testing/harness.ts'
import { serveHere } from '../testing/serve-here.ts'

const PROCESSES = [1, 2, 3]

async function inFolder(work: (dataDir: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-together-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type Start = (settings: Record<string, string>) => Promise<{ output(): string; stop(): Promise<unknown> }>

async function expectOneOfEach(start: Start): Promise<void> {
  const empty = await createEmptyDatabase(inject('postgresUrl'))
  await inFolder(async (DATA_DIR) => {
    const settings = {
      DATABASE_URL: empty.url,
      DATA_DIR,
      SEED_DEMO: 'true',
      SECRETS_KEY: '',
      CONSOLE_PORT: '0',
    }
    const all = await Promise.all(PROCESSES.map(() => start(settings)))
    const outputs = all.map((each) => each.output())
    expect(new Set(outputs.map((text) => /\/link\/(\S+)/.exec(text)?.[1])).size).toBe(1)
    const tokens = outputs.flatMap((text) => /Demo token +(\S+)/.exec(text)?.[1] ?? [])
    expect(new Set(tokens).size).toBe(1)
    // Lines of the log are for programs. A start has nothing to report to them yet.
    expect(outputs.filter((text) => text.includes('"level"'))).toEqual([])
    for (const each of all) await each.stop()
    expect((await readdir(DATA_DIR)).toSorted()).toEqual(['demo.json', 'secrets-key'])
  })
  await empty.drop()
}

/** They share the database and the data directory, and nothing else. */
test('services that start together are all ready, with one key, one demo shop and one link to the console', () =>
  expectOneOfEach(serveHere))

test(
  'processes that start together are all ready, with one key, one demo shop and one link to the console',
  {
    tags: ['long'],
  },
  () =>
    expectOneOfEach(async (settings) => {
      const { output, kill } = await spawnKassa(settings)
      return { output, stop: () => kill('SIGTERM') }
    }),
)

test('of processes that make the key of one data directory at the same time, all have the whole key', async () => {
  const kassa = await startKassa()
  for (let round = 0; round < 8; round++)
    await inFolder(async (dataDir) => {
      const read = () =>
        readSecretsKeys({ ...kassa.ctx.config, secretsKeys: [] }, dataDir, {
          used: [],
          beforeMaking: async () => {},
        })
      const all = await Promise.all(Array.from({ length: 8 }, read))
      const [first] = all
      expect(first?.keys[0]).toMatch(/^\S{44}$/)
      for (const each of all) expect(each).toEqual(first)
    })
  await kassa.close()
})

test('of processes that make the demo shop at the same time one makes it, and says so alone', async () => {
  const kassa = await startKassa()
  await inFolder(async (dataDir) => {
    const at = (port: number) => ({
      origins: [`http://127.0.0.1:${port}`],
      returnUrl: `http://127.0.0.1:${port}/demo/thanks.html`,
      callbackUrl: `http://127.0.0.1:${port}/demo/callback`,
    })
    const all = await Promise.all(PROCESSES.map((each) => seedDemo(kassa.ctx, dataDir, at(3000 + each))))
    expect(all.filter((each) => each !== null)).toHaveLength(1)
    const { rows } = await kassa.ctx.db.query('select id from kassa.merchants')
    expect(rows).toHaveLength(1)
  })
  await kassa.close()
})
