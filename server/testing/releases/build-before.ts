/**
 * The build before this one, as a checkout with packages of its own, so that a test starts real processes of it. It is the newest
 * tag, or else the commit that gave this version its number. KASSA_BUILD_BEFORE names another commit, or the folder of a checkout
 * that has been built.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../processes/programs.ts'

const { KASSA_BUILD_BEFORE } = process.env
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024
const run = promisify(execFile)

export type BuildBefore = { folder: string; commit: string; version: string; remove(): Promise<void> }

/** As on a machine: vitest sets NODE_ENV, and with it Vite would build the button larger. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_ENV, ...own } = process.env
  return own
}

async function git(...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd: ROOT, maxBuffer: OUTPUT_MAX_BYTES })
  return stdout.trim()
}

async function findCommit(): Promise<string> {
  const named =
    KASSA_BUILD_BEFORE ||
    (await git('describe', '--tags', '--abbrev=0').catch(() => '')) ||
    (await git('log', '-1', '--format=%H', '-G"version":', '--', 'package.json'))
  return git('rev-parse', '--short', `${named}^{commit}`)
}

/** Returns null with a line on the console where there is no history of the project. */
export async function checkOutBefore(): Promise<BuildBefore | null> {
  if (KASSA_BUILD_BEFORE && isAbsolute(KASSA_BUILD_BEFORE))
    return {
      folder: KASSA_BUILD_BEFORE,
      commit: 'given',
      ...(await readVersion(KASSA_BUILD_BEFORE)),
      remove: async () => {},
    }
  const commit = await findCommit().catch(() => null)
  if (commit === null) {
    console.warn('Skipped: the build before is not here, because the history of the project is missing.')
    return null
  }
  const env = environment()
  const folder = await mkdtemp(join(tmpdir(), 'kassa-before-'))
  await run('sh', ['-c', `git archive ${commit} | tar -x -C ${folder}`], { cwd: ROOT })
  const read = (where: string, name: string) => readFile(join(where, name), 'utf8')
  const isSame = (await read(ROOT, 'package-lock.json')) === (await read(folder, 'package-lock.json'))
  if (isSame) await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  else await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder, env })
  await run('npm', ['run', 'build'], { cwd: folder, env })
  const remove = () => rm(folder, { recursive: true, force: true })
  return { folder, commit, ...(await readVersion(folder)), remove }
}

async function readVersion(folder: string): Promise<{ version: string }> {
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  return { version }
}
