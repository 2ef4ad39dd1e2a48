CREATE TABLE "removed_functions" (
	"account_code" text NOT NULL,
	"id" bigint NOT NULL,
	"name" text NOT NULL,
	"case_type_code" text NOT NULL,
	"live_version_id" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "removed_functions_account_code_id_pk" PRIMARY KEY("account_code","id")
);
--> statement-breakpoint
ALTER TABLE "removed_functions" ADD CONSTRAINT "removed_functions_account_code_accounts_account_code_fk" FOREIGN KEY ("account_code") REFERENCES "public"."accounts"("account_code") ON DELETE no action ON UPDATE no action;