/** Puts one deliberate fault after the other into a copy of the service, and lets the random histories of that copy look for it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import type { Mutation } from './mutation.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** What the tests of a copy need of the repository, besides the dependencies. */
const COPIED = ['server', 'widget', 'public', 'package.json', 'tsconfig.json', 'vite.config.ts']

export type Copy = { root: string; remove(): Promise<void> }

export async function copyService(): Promise<Copy> {
  const root = await mkdtemp(join(tmpdir(), 'kassa-mutated-'))
  const there = await readdir(ROOT)
  for (const name of COPIED.filter((each) => there.includes(each)))
    await cp(join(ROOT, name), join(root, name), { recursive: true })
  for (const name of ['node_modules', '.dist']) await symlink(join(ROOT, name), join(root, name))
  return { root, remove: () => rm(root, { recursive: true, force: true }) }
}

export type Outcome = { name: string; what: string; result: string }

/** `skipped`: seeds that break a rule without the fault too. */
export async function tryMutation(
  { root }: Copy,
  { name, what, edits }: Mutation,
  { runs, seed, skipped = [] }: { runs: number; seed: number; skipped?: readonly number[] },
): Promise<Outcome> {
  const originals = new Map<string, string>()
  try {
    for (const { file, from, to } of edits) {
      const path = join(root, 'server', file)
      const text = await readFile(path, 'utf8').catch(() => '')
      if (!originals.has(path)) originals.set(path, text)
      if (text.split(from).length !== 2) return { name, what, result: `not applicable: ${file} has changed` }
      await writeFile(
        path,
        text.replace(from, () => to),
      )
    }
    return { name, what, result: await look(root, { runs, seed, skipped }) }
  } finally {
    for (const [path, text] of originals) if (text !== '') await writeFile(path, text)
  }
}

async function look(
  root: string,
  given: { runs: number; seed: number; skipped: readonly number[] },
): Promise<string> {
  const env = {
    ...process.env,
    HISTORIES_RUNS: String(given.runs),
    HISTORIES_SEED: String(given.seed),
    HISTORIES_SKIPPED: given.skipped.join(' '),
    HISTORIES_SHRINK: 'false',
    HISTORIES_POSTGRES: inject('postgresUrl'),
    HISTORIES_LANES: '4',
    VITEST_WORKER_ID: undefined,
    VITEST_POOL_ID: undefined,
    VITEST: undefined,
  }
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const file = 'server/payments/operations/histories.long.ts'
  const config = ['--root', '.', '--config', 'server/testing/histories/copy-config.ts']
  const child = spawn(process.execPath, [vitest, 'run', ...config, file], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  await once(child, 'close')
  const [, seed, after] = /found by seed (\d+), after (\d+) others/.exec(text) ?? []
  const [, why = ''] = /found by seed .*\n(.*)/.exec(text) ?? []
  if (seed !== undefined) return `found by seed ${seed}, after ${after} others: ${why.slice(0, 200)}`
  if (/histories: \d+ from seed/.test(text)) return `not found in ${given.runs} histories`
  return `the copy did not run: ${text.slice(-600)}`
}
