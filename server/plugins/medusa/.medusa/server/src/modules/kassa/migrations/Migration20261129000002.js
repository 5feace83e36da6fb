const { Migration } = require('@medusajs/framework/mikro-orm/migrations')

/** Payments of which Kassa did not answer the last refund, with what Medusa knew to be refunded before it. */
exports.Migration20261129000002 = class extends Migration {
  async up() {
    this.addSql(
      'create table if not exists "kassa_unanswered" ("payment_id" text not null primary key, "refunded_minor" bigint not null)',
    )
  }

  async down() {
    this.addSql('drop table if exists "kassa_unanswered" cascade')
  }
}
