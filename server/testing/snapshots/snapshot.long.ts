/**
 * Takes a snapshot of what Kassa shows: the help and the JSON shapes of the command line, hosted pages and console screens in every
 * language, and the OpenAPI document. `SNAPSHOT_TO` names the folder for it. Without `SNAPSHOT_TO` two snapshots must be equal.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Kassa, startKassa } from '../harness.ts'
import { helpTexts, jsonShapes } from './command-line.ts'
import { differencesOf } from './compare.ts'
import { consolePages, hostedPages, openApi } from './pages.ts'

/** Pages name the day, so every snapshot is of the same one. */
const DAY = new Date('2026-11-28T09:00:00Z')

let folder: string
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: DAY, shouldAdvanceTime: true, advanceTimeDelta: 1 })
  folder = await mkdtemp(join(tmpdir(), 'kassa-snapshot-'))
})
afterAll(async () => {
  vi.useRealTimers()
  await rm(folder, { recursive: true, force: true })
})

/** Commands change what the console shows, so each part has a service of its own. */
async function withKassa<Got>(take: (kassa: Kassa) => Promise<Got>): Promise<Got> {
  vi.setSystemTime(DAY)
  const kassa = await startKassa()
  try {
    return await take(kassa)
  } finally {
    await kassa.close()
  }
}

async function takeSnapshot(to: string): Promise<void> {
  const texts = new Map([
    ...(await helpTexts()),
    ...(await withKassa((kassa) => jsonShapes(kassa, folder))),
    ...hostedPages(),
    ...(await withKassa(consolePages)),
    ['openapi.json', openApi()] as const,
  ])
  for (const [name, text] of texts) {
    await mkdir(dirname(join(to, name)), { recursive: true })
    await writeFile(join(to, name), text)
  }
}

test.runIf(process.env.SNAPSHOT_TO)('a snapshot is taken', async () => {
  const to = process.env.SNAPSHOT_TO ?? ''
  await rm(to, { recursive: true, force: true })
  await takeSnapshot(to)
})

test.skipIf(process.env.SNAPSHOT_TO)('two snapshots of the same build are equal', async () => {
  const [one, two] = [join(folder, 'one'), join(folder, 'two')]
  await takeSnapshot(one)
  await takeSnapshot(two)
  expect(differencesOf(one, two)).toEqual([])
})
