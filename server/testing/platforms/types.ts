/** Checks the sources of a plug-in, and a shop that uses it, with the types of the platform. */
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileIn } from '../compiler.ts'
import { fillProject, PLUGINS } from './project.ts'

/** The plug-ins are JavaScript, because a platform runs them as they are. What it gives and takes is typed nevertheless. */
const OPTIONS = {
  noEmit: true,
  allowJs: true,
  checkJs: true,
  strict: false,
  // Without it no result is told from an error.
  strictNullChecks: true,
  skipLibCheck: true,
  esModuleInterop: true,
  module: 'nodenext',
  target: 'es2023',
}

/** `folder`: an empty one. `shop`: a program of a shop in TypeScript. Returns the compiler's messages. */
export function checkWithTypes(
  folder: string,
  { install, plugin, shop }: { install: string; plugin: string; shop: string },
): Promise<string[]> {
  fillProject(folder, { install, plugin })
  cpSync(join(PLUGINS, plugin), join(folder, 'sources'), { recursive: true })
  writeFileSync(join(folder, 'shop.ts'), shop)
  // A pattern finds no folder whose name begins with a dot.
  const include = ['shop.ts', 'sources/**/*', 'sources/.medusa/**/*']
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, include }))
  return compileIn(folder)
}
