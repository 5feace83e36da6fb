/** A copy of the sources in which a test follows a guide. */
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export type EditedCopy = {
  path(name: string): string
  read(name: string): Promise<string>
  write(name: string, text: string): Promise<void>
  /** @throws Error if the file does not contain `what` */
  edit(name: string, what: RegExp, by: string): Promise<void>
  remove(): Promise<void>
}

/** Copies the sources without their tests. */
export async function copySources(): Promise<EditedCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-edited-'))
  const path = (name: string) => join(folder, name)
  const read = (name: string) => readFile(path(name), 'utf8')
  const write = async (name: string, text: string) => {
    await mkdir(dirname(path(name)), { recursive: true })
    await writeFile(path(name), text)
  }
  for (const name of ['server', 'public', 'package.json', 'tsconfig.json'])
    await cp(join(ROOT, name), path(name), {
      recursive: true,
      filter: (file) => !file.endsWith('.test.ts'),
    })
  await symlink(join(ROOT, 'node_modules'), path('node_modules'))
  return {
    path,
    read,
    write,
    async edit(name, what, by) {
      const text = await read(name)
      if (!what.test(text)) throw new Error(`${name} does not contain ${what}`)
      await write(name, text.replace(what, by))
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
