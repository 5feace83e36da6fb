/** Generates types from the OpenAPI document with `openapi-typescript`, and compiles programs that use them in strict mode. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApiDocument } from '../../http/openapi/document.ts'
import { compileIn } from '../compiler.ts'

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

/** Returns the text of the generated types. `without`: parts of the document that are left out. */
export async function generateTypes(...without: ('paths' | 'webhooks')[]): Promise<string> {
  redirectCompilerApi()
  const { default: generate, astToString } = await import('openapi-typescript')
  const document = JSON.parse(JSON.stringify(openApiDocument('https://pay.example')))
  for (const part of without) document[part] = {}
  return astToString(await generate(document))
}

/**
 * Compiles the programs, which import the types from `./client.ts`, in one run of the compiler. Returns the errors of each
 * program. Errors in the types are added to all of them.
 */
export async function compileWith<Name extends string>(
  types: string,
  programs: Record<Name, string>,
): Promise<Record<Name, string[]>> {
  const names = Object.keys(programs) as Name[]
  const lines = await compile({
    ...Object.fromEntries(names.map((name) => [`${name}.ts`, programs[name]])),
    'client.ts': types,
    'package.json': '{"type":"module"}',
    'tsconfig.json': JSON.stringify({ compilerOptions: STRICT, include: ['*.ts'] }),
  })
  const isOf = (name: Name, line: string) => line.startsWith(`${name}.ts(`)
  const found = names.map((name) => [
    name,
    lines.filter((line) => isOf(name, line) || !names.some((other) => isOf(other, line))),
  ])
  return Object.fromEntries(found) as Record<Name, string[]>
}

async function compile(files: Record<string, string>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-client-'))
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    return await compileIn(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
