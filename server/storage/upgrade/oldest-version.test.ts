/** A migration that breaks older versions of Kassa must say so in its header, because only the header keeps them from starting. */
import { describe, expect, test } from 'vitest'
import {
  isOlder,
  type MigrationFile,
  readMigration,
  readMigrations,
  SHARED,
  splitStatements,
  THIS_RELEASE,
} from './files.ts'

const NAMED = String.raw`(?:if exists )?(?:only )?(?<name>[a-z_]+\.[a-z_0-9]+)`
/** An older version still names what these statements remove, or writes what they refuse. */
const BREAKING = [
  `^drop (table|view|domain|type|sequence) ${NAMED}`,
  `^alter (table|view|domain|type|sequence) ${NAMED} rename `,
  `^alter table ${NAMED} (.*, )?drop (?!constraint )`,
  `^alter table ${NAMED} (.*, )?alter (column )?\\w+ (set data )?type `,
  // The older version leaves the column out. Without a default that would be null.
  `^alter table ${NAMED} (.*, )?alter (column )?(?<column>\\w+) set not null`,
  `^alter table ${NAMED} (.*, )?add column (if not exists )?\\w+ (?!(small|big)?serial)(?![^,]*( default | generated ))[^,]* not null`,
].map((pattern) => new RegExp(pattern, 'i'))
const CREATED =
  /^create (?:or replace )?(?:table|view|domain|type|sequence) (?:if not exists )?([a-z_]+\.[a-z_0-9]+)/i

const statementsOf = ({ text }: Pick<MigrationFile, 'text'>) =>
  splitStatements(text).map((each) => each.replaceAll(/\s+/g, ' '))

/**
 * Returns the breaking statements of files whose header names a version that still uses the old form. Such a version is at least
 * the one that the file names which has created the table.
 */
function findWrongHeaders(files: readonly MigrationFile[]): string[] {
  const creators = new Map(
    files.flatMap((file) =>
      statementsOf(file).flatMap((each) => {
        const created = CREATED.exec(each)?.[1]
        return created ? [[created, file] as const] : []
      }),
    ),
  )
  return files.flatMap((file) => {
    const all = statementsOf(file)
    return all.filter((statement) => {
      const { name, column } = BREAKING.map((each) => each.exec(statement)).find(Boolean)?.groups ?? {}
      if (!name || (column && all.some((each) => each.includes(`${column} set default`)))) return false
      const creator = creators.get(name)
      return creator !== file && !isOlder(creator?.oldestVersion ?? '0.0.0', file.oldestVersion)
    })
  })
}

const SHOP = readMigration(
  '0001_shop.sql',
  `-- oldest version: 0.1.0
   create domain world.colour as text;
   create table world.shop (id text primary key, name text, price integer not null default 1);`,
)
const wrongIn = (version: string, statement: string) =>
  findWrongHeaders([SHOP, readMigration('0002_next.sql', `-- oldest version: ${version}\n${statement};`)])

describe('a header must name a newer version beside', () => {
  test.each([
    'drop table world.shop',
    'drop table if exists world.shop',
    'drop domain world.colour',
    'alter table world.shop rename to store',
    'alter table world.shop rename column name to title',
    'alter table world.shop rename name to title',
    'alter domain world.colour rename to shade',
    'alter table world.shop drop column name',
    'alter table world.shop drop name',
    'alter table world.shop add column note text, drop column name',
    'alter table only world.shop alter column price type bigint',
    'alter table world.shop alter price set data type bigint',
    'alter table world.shop alter column name set not null',
    'alter table world.shop add column note text not null',
    "alter table world.shop add column at timestamptz not null, add column note text default ''",
  ])('%s', (statement) => {
    expect(wrongIn('0.1.0', statement)).toEqual([statement])
    expect(wrongIn('0.2.0', statement)).toEqual([])
  })
})

describe('an older version can still work beside', () => {
  test.each([
    'alter table world.shop add column note text',
    "alter table world.shop add column note text not null default 'x'",
    'alter table world.shop add column number bigserial not null',
    'alter table world.shop drop constraint cheap',
    "alter table world.shop alter column name set default 'x', alter column name set not null",
    "alter table world.shop alter column name set default 'x'; alter table world.shop alter column name set not null",
    'alter table world.shop alter column price drop default',
    'create table world.gifts (note text); alter table world.gifts rename note to message',
    "alter domain world.colour add constraint known check (value in ('red')) not valid",
    'drop trigger noted on world.shop',
  ])('%s', (statement) => {
    expect(wrongIn('0.1.0', statement)).toEqual([])
  })
})

test.each([SHARED, 'sandbox'] as const)(
  'the headers of %s name the versions that can work',
  async (schema) => {
    expect(findWrongHeaders(await readMigrations(schema, THIS_RELEASE))).toEqual([])
  },
)
