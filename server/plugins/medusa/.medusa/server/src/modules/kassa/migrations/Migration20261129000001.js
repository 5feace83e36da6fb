const { Migration } = require('@medusajs/framework/mikro-orm/migrations')

/** The refunds of Kassa that Medusa has booked, so that two presses at once do not book the same one. */
exports.Migration20261129000001 = class extends Migration {
  async up() {
    this.addSql('create table if not exists "kassa_refund" ("operation_id" text not null primary key)')
  }

  async down() {
    this.addSql('drop table if exists "kassa_refund" cascade')
  }
}
