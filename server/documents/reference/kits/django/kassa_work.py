"""The worker for Kassa's events in Django, file 4 of 4. Save it as kassa/management/commands/kassa_work.py."""
import time

from django.core.management.base import BaseCommand
from django.db import close_old_connections

from kassa.models import work


class Command(BaseCommand):
    help = 'Handle the payments that Kassa has sent news of, and try again those that failed.'

    def add_arguments(self, parser):
        parser.add_argument('--once', action='store_true', help='Run once, for cron.')
        parser.add_argument('--every', type=float, default=5, metavar='SECONDS', help='Pause between two runs.')

    def handle(self, *args, once, every, **options):
        while True:
            try:
                work()
            except Exception as error:
                if once:
                    raise
                # The database may be away for a moment.
                self.stderr.write(f'Tried again in {every} s: {error}')
            if once:
                break
            close_old_connections()
            time.sleep(every)
