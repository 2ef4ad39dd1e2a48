ALTER TABLE "queued_runs" ADD COLUMN "trigger_id" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
update queued_runs set trigger_id = coalesce(hook_id, webhook_id, 0);
