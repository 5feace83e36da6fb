/** Generates types from the OpenAPI document with `openapi-typescript`, and compiles programs that use them in strict mode. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openApiDocument } from '../http/openapi/document.ts'

const run = promisify(execFile)
const COMPILER = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
const STRICT = {
  strict: true,
  noEmit: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: false,
  target: 'es2024',
  module: 'nodenext',
  types: [],
  allowImportingTsExtensions: true,
}

/** The generator imports `typescript`, and this project's version of it has no compiler API. */
function redirectCompilerApi(): void {
  const api = new URL('./typescript-api.ts', import.meta.url).href
  registerHooks({
    resolve: (name, context, next) =>
      next(
        name === 'typescript' && context.parentURL?.includes('/openapi-typescript/') ? api : name,
        context,
      ),
  })
}

/** Returns the text of the generated types. */
export async function generateTypes(): Promise<string> {
  redirectCompilerApi()
  const { default: generate, astToString } = await import('openapi-typescript')
  return astToString(await generate(JSON.parse(JSON.stringify(openApiDocument('https://pay.example')))))
}

/** Compiles `program`, which imports the types from `./client.ts`. Returns the compiler's errors. */
export async function compileWith(types: string, program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-client-'))
  try {
    await writeFile(join(folder, 'client.ts'), types)
    await writeFile(join(folder, 'program.ts'), program)
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: STRICT, include: ['*.ts'] }),
    )
    await run(process.execPath, [COMPILER, '-p', folder])
    return ''
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? error)
  } finally {
    await rm(folder, { recursive: true })
  }
}
