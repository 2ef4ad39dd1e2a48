ALTER TABLE `queued_runs` ADD `trigger_id` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
update queued_runs set trigger_id = coalesce(hook_id, webhook_id, 0);
