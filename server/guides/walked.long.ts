/**
 * The lines of the guides on deploying, backups, upgrades and incidents, as they stand, from the archive of a release, on a machine of
 * its own. There is no systemd: what needs it runs by the unit's ExecStart (`testing/processes/units.ts`), and `systemd.long.ts` tries
 * the same with a real one. The walks are in `testing/guides`, where each line that is not run has its reason.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { guideOfArchive } from '../invocation.ts'
import { backup } from '../testing/guides/backup.ts'
import { deploying } from '../testing/guides/deploying.ts'
import { incidents } from '../testing/guides/incidents.ts'
import { openScene, type Scene } from '../testing/guides/scene.ts'
import { upgrading } from '../testing/guides/upgrading.ts'
import { walk } from '../testing/guides/walk.ts'
import { borrowMachine, type Machine } from '../testing/processes/borrowed-machine.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)

let machine: Machine | string
let released: string
let scene: Scene
beforeAll(async () => {
  machine = await borrowMachine()
  if (typeof machine === 'string') return console.warn(`Skipped: ${machine}.`)
  released = await mkdtemp(join(tmpdir(), 'kassa-released-'))
  const key = join(released, 'key')
  await execute('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const build = ['server/release/main.ts', '--uncommitted', '--out', released, '--sign', key]
  await execute(process.execPath, build, { cwd: ROOT })
  scene = openScene(machine, released)
})
afterAll(async () => {
  if (typeof machine === 'object') await machine.end()
  if (released) await rm(released, { recursive: true })
})

// Each walk goes on with what the one before has left.
test.for(Object.entries({ deploying, backup, upgrading, incidents }))(
  'the lines of the guide %s run as they stand',
  async ([name, rules], { skip }) => {
    if (typeof machine === 'string') return skip(machine)
    const text = guideOfArchive(await readFile(join(ROOT, `server/guides/${name}.md`), 'utf8'))
    const left = await walk(machine, text, rules(scene))
    console.info(`Not walked of ${name}:\n  ${left.join('\n  ')}`)
    expect(await machine.expect(`cat /opt/kassa/server/guides/${name}.md`)).toBe(text)
  },
)
