import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from './testing/harness.ts'
import { isGroupAlive, type NpmRun, processesNaming, runNpm } from './testing/processes/npm-run.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const WITHIN = { timeout: 300_000, interval: 100 }
const PAGE = 'server/messages/en/install.json'

let folder: string
let run: NpmRun | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-dev-'))
  await chmod(folder, 0o755)
  const isSource = (path: string) => !/\.(test|suite|long)\.ts$/.test(path)
  for (const name of ['server', 'widget', 'public', 'package.json', 'vite.config.ts'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true, filter: isSource })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(async () => {
  // Stops what a failed test left running. It then stops its own database, which would keep running after a SIGKILL.
  const { group } = run ?? {}
  if (group && isGroupAlive(group)) {
    process.kill(-group, 'SIGTERM')
    await expect.poll(() => isGroupAlive(group), WITHIN).toBe(false)
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Changes a file as an editor does, and returns what undoes the change. */
async function edit(file: string, change: (text: string) => string): Promise<() => Promise<void>> {
  const path = join(folder, file)
  const before = await readFile(path, 'utf8')
  expect(change(before)).not.toBe(before)
  await writeFile(path, change(before))
  return () => writeFile(path, before)
}

test.skipIf(process.platform !== 'linux')(
  'npm run dev serves a changed page and a changed button, survives a syntax error, keeps the data and stops with everything',
  async () => {
    await mkdir(join(folder, 'data'))
    const port = String(await freePort())
    run = runNpm(['run', 'dev'], folder, { PORT: port, DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'warn' })
    const { output, group } = run
    const get = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        (response) => response.text(),
        () => 'no response',
      )
    await expect.poll(output, WITHIN).toContain(' is ready after ')
    const install = `/install/${/Public key +(\S+)/.exec(output())?.[1]}`
    const token = /Demo token +(\S+)/.exec(output())?.[1]

    await edit(PAGE, (text) => text.replace('Get paid online', 'Get paid quickly'))
    await expect.poll(() => get(install), WITHIN).toContain('Get paid quickly')
    expect(output()).toContain(`[dev] ${PAGE} changed. Starting the service again.`)

    await edit('widget/messages.ts', (text) => text.replace("'Try again'", "'Try it again'"))
    await expect.poll(() => get('/widget/v1/kassa.js'), WITHIN).toContain('Try it again')

    const mend = await edit('server/app.ts', (text) => `${text}const x = ;\n`)
    await expect.poll(output, WITHIN).toContain('[dev] The service ended (exit code 1)')
    expect(await get('/api/health')).toBe('no response')
    await mend()
    await expect.poll(() => get('/api/health'), WITHIN).toContain('"ready":true')

    const tokens = [...output().matchAll(/Demo token +(\S+)/g)].map(([, each]) => each)
    expect(tokens.length).toBeGreaterThanOrEqual(3)
    expect(new Set(tokens)).toEqual(new Set([token]))

    process.kill(-group, 'SIGINT')
    await expect.poll(() => isGroupAlive(group), WITHIN).toBe(false)
    expect(await processesNaming(folder)).toEqual([])
  },
)
